// Functions of C for files in `std`.
// Written from: C++17, [cstdio.syn].
namespace std {
typedef ::FILE FILE;
inline FILE* fopen(const char* path, const char* mode) { return ::fopen(path, mode); }
inline int fclose(FILE* file) { return ::fclose(file); }
inline FILE* tmpfile() { return ::tmpfile(); }
inline size_t fread(void* to, size_t size, size_t count, FILE* file) { return ::fread(to, size, count, file); }
inline size_t fwrite(const void* from, size_t size, size_t count, FILE* file) { return ::fwrite(from, size, count, file); }
inline char* fgets(char* text, int size, FILE* file) { return ::fgets(text, size, file); }
inline int fgetc(FILE* file) { return ::fgetc(file); }
inline int getc(FILE* file) { return ::fgetc(file); }
inline int getchar() { return ::getchar(); }
inline int ungetc(int byte, FILE* file) { return ::ungetc(byte, file); }
inline int fputs(const char* text, FILE* file) { return ::fputs(text, file); }
inline int fputc(int byte, FILE* file) { return ::fputc(byte, file); }
inline int putc(int byte, FILE* file) { return ::fputc(byte, file); }
inline int puts(const char* text) { return ::puts(text); }
inline int putchar(int byte) { return ::putchar(byte); }
inline int fseek(FILE* file, long distance, int from) { return ::fseek(file, distance, from); }
inline long ftell(FILE* file) { return ::ftell(file); }
inline void rewind(FILE* file) { ::rewind(file); }
inline int feof(FILE* file) { return ::feof(file); }
inline int ferror(FILE* file) { return ::ferror(file); }
inline void clearerr(FILE* file) { ::clearerr(file); }
inline int fflush(FILE* file) { return ::fflush(file); }
inline int remove(const char* path) { return ::remove(path); }
inline int rename(const char* from, const char* to) { return ::rename(from, to); }
inline void perror(const char* text) { ::perror(text); }
}
