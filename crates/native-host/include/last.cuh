// What is different in a native program, after the texts of the CUDA runtime.
#pragma once
template <typename T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
    *pointer = (void*)__lanes_ask("__lanes_symbol", (const void*)&symbol);
    return cudaSuccess;
}
template <typename T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
    *bytes = sizeof(T);
    return cudaSuccess;
}
#ifdef __CUDA__
// Of `runtime.cc`: clang calls it for `<<<>>>`.
extern "C" cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
#endif
