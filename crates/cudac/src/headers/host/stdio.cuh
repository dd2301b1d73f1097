// Files of C. A `FILE*` is a number, and points to nothing.
// Written from: ISO C17, 7.21; POSIX.1-2017, getline.

//: FILE
struct FILE { int number; };

//: fopen fclose tmpfile
FILE* fopen(const char* path, const char* mode);
int fclose(FILE* file);
FILE* tmpfile();

//: fread fwrite
size_t fread(void* to, size_t size, size_t count, FILE* file);
size_t fwrite(const void* from, size_t size, size_t count, FILE* file);

//: fgets fgetc getc ungetc getchar
char* fgets(char* text, int size, FILE* file);
int fgetc(FILE* file);
int ungetc(int byte, FILE* file);
inline int getc(FILE* file) { return fgetc(file); }
inline int getchar() { return fgetc(stdin); }

//: fputs fputc putc
int fputs(const char* text, FILE* file);
int fputc(int byte, FILE* file);
inline int putc(int byte, FILE* file) { return fputc(byte, file); }

//: fseek ftell fseeko ftello rewind off_t
int fseek(FILE* file, long distance, int from);
long ftell(FILE* file);
typedef long off_t;
inline int fseeko(FILE* file, off_t distance, int from) { return fseek(file, distance, from); }
inline off_t ftello(FILE* file) { return ftell(file); }
inline void rewind(FILE* file) {
    fseek(file, 0, SEEK_SET);
    clearerr(file);
}

//: fgetpos fsetpos fpos_t
typedef long fpos_t;
inline int fgetpos(FILE* file, fpos_t* place) {
    *place = ftell(file);
    return *place < 0 ? -1 : 0;
}
inline int fsetpos(FILE* file, const fpos_t* place) { return fseek(file, *place, SEEK_SET); }

//: feof ferror clearerr
int feof(FILE* file);
int ferror(FILE* file);
void clearerr(FILE* file);

//: fflush setbuf setvbuf
int fflush(FILE* file);
inline void setbuf(FILE* file, char* buffer) { fflush(file); }
inline int setvbuf(FILE* file, char* buffer, int mode, size_t size) { return fflush(file); }

//: remove unlink rename
int remove(const char* path);
inline int unlink(const char* path) { return remove(path); }
int rename(const char* from, const char* to);

//: __host_line_bytes __host_file_number
size_t __host_line_bytes(FILE* file, int end);
int __host_file_number(FILE* file);

//: getline getdelim ssize_t
typedef long ssize_t;
inline ssize_t getdelim(char** line, size_t* room, int end, FILE* file) {
    const size_t count = __host_line_bytes(file, end);
    if (count == 0) return -1;
    if (!*line || *room < count + 1) {
        *room = count + 1 < 120 ? 120 : count + 1;
        *line = (char*)realloc(*line, *room);
    }
    fread(*line, 1, count, file);
    (*line)[count] = 0;
    return (ssize_t)count;
}
inline ssize_t getline(char** line, size_t* room, FILE* file) { return getdelim(line, room, 10, file); }

//: __host_errno
int* __host_errno();

//: strerror
inline char* strerror(int code) {
    switch (code) {
    case 0: return (char*)"Success";
    case 2: return (char*)"No such file or directory";
    case 9: return (char*)"Bad file descriptor";
    case 12: return (char*)"Cannot allocate memory";
    case 13: return (char*)"Permission denied";
    case 17: return (char*)"File exists";
    case 21: return (char*)"Is a directory";
    case 22: return (char*)"Invalid argument";
    case 29: return (char*)"Illegal seek";
    case 33: return (char*)"Numerical argument out of domain";
    case 34: return (char*)"Numerical result out of range";
    default: return (char*)"Unknown error";
    }
}

//: perror
inline void perror(const char* text) {
    const int code = *__host_errno();
    if (text && *text) fprintf(stderr, "%s: ", text);
    fprintf(stderr, "%s\n", strerror(code));
}
