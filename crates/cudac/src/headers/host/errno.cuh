// The numbers of `errno` that Linux has, as far as functions here set them or programs compare with them.
// Written from: POSIX.1-2017, errno.h.
#define errno (*__host_errno())
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENOSPC 28
#define ESPIPE 29
#define EDOM 33
#define ERANGE 34
