// The warp functions without a mask, which ended with compute capability 7.0: they concern the lanes that are active.
// Written from: CUDA C Programming Guide 8.0, warp vote functions, warp shuffle functions.

//: __shfl __shfl_up __shfl_down __shfl_xor
#if __CUDA_ARCH__ < 700
template <typename T> inline __device__ T __shfl(T value, int lane, int width = 32) { return __shfl_sync(__activemask(), value, lane, width); }
template <typename T> inline __device__ T __shfl_up(T value, unsigned lanes, int width = 32) { return __shfl_up_sync(__activemask(), value, lanes, width); }
template <typename T> inline __device__ T __shfl_down(T value, unsigned lanes, int width = 32) { return __shfl_down_sync(__activemask(), value, lanes, width); }
template <typename T> inline __device__ T __shfl_xor(T value, int lanes, int width = 32) { return __shfl_xor_sync(__activemask(), value, lanes, width); }
#endif

//: __all __any __ballot
#if __CUDA_ARCH__ < 700
inline __device__ int __all(int predicate) { return __all_sync(__activemask(), predicate); }
inline __device__ int __any(int predicate) { return __any_sync(__activemask(), predicate); }
inline __device__ unsigned __ballot(int predicate) { return __ballot_sync(__activemask(), predicate); }
#endif
