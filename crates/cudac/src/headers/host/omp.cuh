// OpenMP with one thread: its directives are ignored, and a team has one member.
// Written from: OpenMP Application Programming Interface 5.0, chapter 3.
typedef int omp_lock_t;
typedef int omp_nest_lock_t;
inline void omp_set_num_threads(int count) {}
inline int omp_get_num_threads() { return 1; }
inline int omp_get_max_threads() { return 1; }
inline int omp_get_thread_num() { return 0; }
inline int omp_get_num_procs() { return 1; }
inline int omp_in_parallel() { return 0; }
inline void omp_set_dynamic(int value) {}
inline int omp_get_dynamic() { return 0; }
inline void omp_set_nested(int value) {}
inline int omp_get_nested() { return 0; }
inline int omp_get_thread_limit() { return 1; }
inline int omp_get_level() { return 0; }
inline void omp_init_lock(omp_lock_t* lock) { *lock = 0; }
inline void omp_destroy_lock(omp_lock_t* lock) {}
inline void omp_set_lock(omp_lock_t* lock) { *lock = 1; }
inline void omp_unset_lock(omp_lock_t* lock) { *lock = 0; }
inline int omp_test_lock(omp_lock_t* lock) { return *lock ? 0 : (*lock = 1); }
inline double omp_get_wtime() { return 1e-6 * __host_now(); }
inline double omp_get_wtick() { return 1e-6; }
