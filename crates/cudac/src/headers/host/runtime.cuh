// The CUDA runtime, as far as the executor of host code carries it out.
// Written from: CUDA Runtime API, modules 6.1 to 6.10; CUDA C++ Programming Guide.

//: cudaError_t cudaError cudaSuccess cudaErrorInvalidValue cudaErrorMemoryAllocation cudaErrorInitializationError cudaErrorCudartUnloading cudaErrorProfilerDisabled cudaErrorProfilerNotInitialized cudaErrorProfilerAlreadyStarted cudaErrorProfilerAlreadyStopped cudaErrorInvalidConfiguration cudaErrorInvalidPitchValue cudaErrorInvalidSymbol cudaErrorInvalidHostPointer cudaErrorInvalidDevicePointer cudaErrorInvalidTexture cudaErrorInvalidTextureBinding cudaErrorInvalidChannelDescriptor cudaErrorInvalidMemcpyDirection cudaErrorAddressOfConstant cudaErrorTextureFetchFailed cudaErrorTextureNotBound cudaErrorSynchronizationError cudaErrorInvalidFilterSetting cudaErrorInvalidNormSetting cudaErrorMixedDeviceExecution cudaErrorNotYetImplemented cudaErrorMemoryValueTooLarge cudaErrorStubLibrary cudaErrorInsufficientDriver cudaErrorCallRequiresNewerDriver cudaErrorInvalidSurface cudaErrorDuplicateVariableName cudaErrorDuplicateTextureName cudaErrorDuplicateSurfaceName cudaErrorDevicesUnavailable cudaErrorIncompatibleDriverContext cudaErrorMissingConfiguration cudaErrorPriorLaunchFailure cudaErrorLaunchMaxDepthExceeded cudaErrorLaunchFileScopedTex cudaErrorLaunchFileScopedSurf cudaErrorSyncDepthExceeded cudaErrorLaunchPendingCountExceeded cudaErrorInvalidDeviceFunction cudaErrorNoDevice cudaErrorInvalidDevice cudaErrorDeviceNotLicensed cudaErrorSoftwareValidityNotEstablished cudaErrorStartupFailure cudaErrorInvalidKernelImage cudaErrorDeviceUninitialized cudaErrorMapBufferObjectFailed cudaErrorUnmapBufferObjectFailed cudaErrorArrayIsMapped cudaErrorAlreadyMapped cudaErrorNoKernelImageForDevice cudaErrorAlreadyAcquired cudaErrorNotMapped cudaErrorNotMappedAsArray cudaErrorNotMappedAsPointer cudaErrorECCUncorrectable cudaErrorUnsupportedLimit cudaErrorDeviceAlreadyInUse cudaErrorPeerAccessUnsupported cudaErrorInvalidPtx cudaErrorInvalidGraphicsContext cudaErrorNvlinkUncorrectable cudaErrorJitCompilerNotFound cudaErrorUnsupportedPtxVersion cudaErrorJitCompilationDisabled cudaErrorUnsupportedExecAffinity cudaErrorUnsupportedDevSideSync cudaErrorInvalidSource cudaErrorFileNotFound cudaErrorSharedObjectSymbolNotFound cudaErrorSharedObjectInitFailed cudaErrorOperatingSystem cudaErrorInvalidResourceHandle cudaErrorIllegalState cudaErrorLossyQuery cudaErrorSymbolNotFound cudaErrorNotReady cudaErrorIllegalAddress cudaErrorLaunchOutOfResources cudaErrorLaunchTimeout cudaErrorLaunchIncompatibleTexturing cudaErrorPeerAccessAlreadyEnabled cudaErrorPeerAccessNotEnabled cudaErrorSetOnActiveProcess cudaErrorContextIsDestroyed cudaErrorAssert cudaErrorTooManyPeers cudaErrorHostMemoryAlreadyRegistered cudaErrorHostMemoryNotRegistered cudaErrorHardwareStackError cudaErrorIllegalInstruction cudaErrorMisalignedAddress cudaErrorInvalidAddressSpace cudaErrorInvalidPc cudaErrorLaunchFailure cudaErrorCooperativeLaunchTooLarge cudaErrorNotPermitted cudaErrorNotSupported cudaErrorSystemNotReady cudaErrorSystemDriverMismatch cudaErrorCompatNotSupportedOnDevice cudaErrorMpsConnectionFailed cudaErrorMpsRpcFailure cudaErrorMpsServerNotReady cudaErrorMpsMaxClientsReached cudaErrorMpsMaxConnectionsReached cudaErrorMpsClientTerminated cudaErrorCdpNotSupported cudaErrorCdpVersionMismatch cudaErrorStreamCaptureUnsupported cudaErrorStreamCaptureInvalidated cudaErrorStreamCaptureMerge cudaErrorStreamCaptureUnmatched cudaErrorStreamCaptureUnjoined cudaErrorStreamCaptureIsolation cudaErrorStreamCaptureImplicit cudaErrorCapturedEvent cudaErrorStreamCaptureWrongThread cudaErrorTimeout cudaErrorGraphExecUpdateFailure cudaErrorExternalDevice cudaErrorInvalidClusterSize cudaErrorFunctionNotLoaded cudaErrorInvalidResourceType cudaErrorInvalidResourceConfiguration cudaErrorUnknown cudaErrorApiFailureBase
enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorCudartUnloading = 4,
    cudaErrorProfilerDisabled = 5,
    cudaErrorProfilerNotInitialized = 6,
    cudaErrorProfilerAlreadyStarted = 7,
    cudaErrorProfilerAlreadyStopped = 8,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidHostPointer = 16,
    cudaErrorInvalidDevicePointer = 17,
    cudaErrorInvalidTexture = 18,
    cudaErrorInvalidTextureBinding = 19,
    cudaErrorInvalidChannelDescriptor = 20,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorAddressOfConstant = 22,
    cudaErrorTextureFetchFailed = 23,
    cudaErrorTextureNotBound = 24,
    cudaErrorSynchronizationError = 25,
    cudaErrorInvalidFilterSetting = 26,
    cudaErrorInvalidNormSetting = 27,
    cudaErrorMixedDeviceExecution = 28,
    cudaErrorNotYetImplemented = 31,
    cudaErrorMemoryValueTooLarge = 32,
    cudaErrorStubLibrary = 34,
    cudaErrorInsufficientDriver = 35,
    cudaErrorCallRequiresNewerDriver = 36,
    cudaErrorInvalidSurface = 37,
    cudaErrorDuplicateVariableName = 43,
    cudaErrorDuplicateTextureName = 44,
    cudaErrorDuplicateSurfaceName = 45,
    cudaErrorDevicesUnavailable = 46,
    cudaErrorIncompatibleDriverContext = 49,
    cudaErrorMissingConfiguration = 52,
    cudaErrorPriorLaunchFailure = 53,
    cudaErrorLaunchMaxDepthExceeded = 65,
    cudaErrorLaunchFileScopedTex = 66,
    cudaErrorLaunchFileScopedSurf = 67,
    cudaErrorSyncDepthExceeded = 68,
    cudaErrorLaunchPendingCountExceeded = 69,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorDeviceNotLicensed = 102,
    cudaErrorSoftwareValidityNotEstablished = 103,
    cudaErrorStartupFailure = 127,
    cudaErrorInvalidKernelImage = 200,
    cudaErrorDeviceUninitialized = 201,
    cudaErrorMapBufferObjectFailed = 205,
    cudaErrorUnmapBufferObjectFailed = 206,
    cudaErrorArrayIsMapped = 207,
    cudaErrorAlreadyMapped = 208,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorAlreadyAcquired = 210,
    cudaErrorNotMapped = 211,
    cudaErrorNotMappedAsArray = 212,
    cudaErrorNotMappedAsPointer = 213,
    cudaErrorECCUncorrectable = 214,
    cudaErrorUnsupportedLimit = 215,
    cudaErrorDeviceAlreadyInUse = 216,
    cudaErrorPeerAccessUnsupported = 217,
    cudaErrorInvalidPtx = 218,
    cudaErrorInvalidGraphicsContext = 219,
    cudaErrorNvlinkUncorrectable = 220,
    cudaErrorJitCompilerNotFound = 221,
    cudaErrorUnsupportedPtxVersion = 222,
    cudaErrorJitCompilationDisabled = 223,
    cudaErrorUnsupportedExecAffinity = 224,
    cudaErrorUnsupportedDevSideSync = 225,
    cudaErrorInvalidSource = 300,
    cudaErrorFileNotFound = 301,
    cudaErrorSharedObjectSymbolNotFound = 302,
    cudaErrorSharedObjectInitFailed = 303,
    cudaErrorOperatingSystem = 304,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorIllegalState = 401,
    cudaErrorLossyQuery = 402,
    cudaErrorSymbolNotFound = 500,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchTimeout = 702,
    cudaErrorLaunchIncompatibleTexturing = 703,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorPeerAccessNotEnabled = 705,
    cudaErrorSetOnActiveProcess = 708,
    cudaErrorContextIsDestroyed = 709,
    cudaErrorAssert = 710,
    cudaErrorTooManyPeers = 711,
    cudaErrorHostMemoryAlreadyRegistered = 712,
    cudaErrorHostMemoryNotRegistered = 713,
    cudaErrorHardwareStackError = 714,
    cudaErrorIllegalInstruction = 715,
    cudaErrorMisalignedAddress = 716,
    cudaErrorInvalidAddressSpace = 717,
    cudaErrorInvalidPc = 718,
    cudaErrorLaunchFailure = 719,
    cudaErrorCooperativeLaunchTooLarge = 720,
    cudaErrorNotPermitted = 800,
    cudaErrorNotSupported = 801,
    cudaErrorSystemNotReady = 802,
    cudaErrorSystemDriverMismatch = 803,
    cudaErrorCompatNotSupportedOnDevice = 804,
    cudaErrorMpsConnectionFailed = 805,
    cudaErrorMpsRpcFailure = 806,
    cudaErrorMpsServerNotReady = 807,
    cudaErrorMpsMaxClientsReached = 808,
    cudaErrorMpsMaxConnectionsReached = 809,
    cudaErrorMpsClientTerminated = 810,
    cudaErrorCdpNotSupported = 811,
    cudaErrorCdpVersionMismatch = 812,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901,
    cudaErrorStreamCaptureMerge = 902,
    cudaErrorStreamCaptureUnmatched = 903,
    cudaErrorStreamCaptureUnjoined = 904,
    cudaErrorStreamCaptureIsolation = 905,
    cudaErrorStreamCaptureImplicit = 906,
    cudaErrorCapturedEvent = 907,
    cudaErrorStreamCaptureWrongThread = 908,
    cudaErrorTimeout = 909,
    cudaErrorGraphExecUpdateFailure = 910,
    cudaErrorExternalDevice = 911,
    cudaErrorInvalidClusterSize = 912,
    cudaErrorFunctionNotLoaded = 913,
    cudaErrorInvalidResourceType = 914,
    cudaErrorInvalidResourceConfiguration = 915,
    cudaErrorUnknown = 999,
    cudaErrorApiFailureBase = 10000
};
typedef enum cudaError cudaError_t;

//: cudaMemcpyKind cudaMemcpyHostToHost cudaMemcpyHostToDevice cudaMemcpyDeviceToHost cudaMemcpyDeviceToDevice cudaMemcpyDefault
enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

//: cudaStream_t CUstream_st
struct CUstream_st;
typedef CUstream_st* cudaStream_t;

//: cudaEvent_t CUevent_st
struct CUevent_st;
typedef CUevent_st* cudaEvent_t;

//: cudaMalloc __host_cuda_malloc
cudaError_t __host_cuda_malloc(void** pointer, size_t bytes);
template <typename T>
cudaError_t cudaMalloc(T** pointer, size_t bytes) { return __host_cuda_malloc((void**)pointer, bytes); }

//: cudaMallocManaged __host_cuda_malloc_managed
cudaError_t __host_cuda_malloc_managed(void** pointer, size_t bytes);
template <typename T>
cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned flags = 1) {
    return __host_cuda_malloc_managed((void**)pointer, bytes);
}

//: cudaMallocHost cudaHostAlloc __host_cuda_malloc_host cudaHostAllocDefault cudaHostAllocPortable cudaHostAllocMapped cudaHostAllocWriteCombined
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };
cudaError_t __host_cuda_malloc_host(void** pointer, size_t bytes);
template <typename T>
cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned flags = 0) { return __host_cuda_malloc_host((void**)pointer, bytes); }
template <typename T>
cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned flags) {
    return __host_cuda_malloc_host((void**)pointer, bytes);
}

//: cudaFree cudaFreeHost
cudaError_t cudaFree(void* pointer);
cudaError_t cudaFreeHost(void* pointer);

//: cudaMemcpy cudaMemcpyAsync
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t __host_cuda_memcpy_async(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, void* stream);
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = 0) {
    return __host_cuda_memcpy_async(to, from, bytes, kind, (void*)stream);
}

//: cudaMemset cudaMemsetAsync
cudaError_t cudaMemset(void* pointer, int value, size_t bytes);
cudaError_t __host_cuda_memset_async(void* pointer, int value, size_t bytes, void* stream);
inline cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream = 0) {
    return __host_cuda_memset_async(pointer, value, bytes, (void*)stream);
}

//: cudaMemcpyToSymbol cudaMemcpyFromSymbol __host_cuda_to_symbol __host_cuda_from_symbol
cudaError_t __host_cuda_to_symbol(const void* symbol, size_t whole, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind);
cudaError_t __host_cuda_from_symbol(void* to, const void* symbol, size_t whole, size_t bytes, size_t offset, cudaMemcpyKind kind);
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return __host_cuda_to_symbol((const void*)&symbol, sizeof(T), from, bytes, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return __host_cuda_from_symbol(to, (const void*)&symbol, sizeof(T), bytes, offset, kind);
}

//: cudaGetLastError cudaPeekAtLastError
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

//: cudaDeviceSynchronize cudaThreadSynchronize cudaDeviceReset
cudaError_t cudaDeviceSynchronize();
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceReset();

//: cudaGetErrorString cudaGetErrorName
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);

//: cudaStreamCreate cudaStreamSynchronize cudaStreamDestroy
cudaError_t __host_cuda_stream_create(void** stream);
cudaError_t __host_cuda_stream_synchronize(void* stream);
cudaError_t __host_cuda_stream_destroy(void* stream);
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) { return __host_cuda_stream_create((void**)stream); }
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return __host_cuda_stream_synchronize((void*)stream); }
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { return __host_cuda_stream_destroy((void*)stream); }

//: cudaSetDevice cudaGetDevice cudaGetDeviceCount
cudaError_t __host_cuda_set_device(int device);
inline cudaError_t cudaSetDevice(int device) { return __host_cuda_set_device(device); }
inline cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}

//: cudaStreamCreateWithFlags cudaStreamCreateWithPriority cudaStreamDefault cudaStreamNonBlocking __host_cuda_stream_create_with
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
cudaError_t __host_cuda_stream_create_with(void** stream, unsigned flags);
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return flags > 1 ? cudaErrorInvalidValue : __host_cuda_stream_create_with((void**)stream, flags);
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return cudaStreamCreateWithFlags(stream, flags);
}

//: cudaStreamQuery
// What was asked about is done. A program that asks in a loop ends, and one that goes on has waited.
inline cudaError_t cudaStreamQuery(cudaStream_t stream) { return __host_cuda_stream_synchronize((void*)stream); }

//: cudaEventCreate cudaEventCreateWithFlags cudaEventDestroy cudaEventDefault cudaEventBlockingSync cudaEventDisableTiming __host_cuda_event_create __host_cuda_event_destroy
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
cudaError_t __host_cuda_event_create(void** event);
inline cudaError_t cudaEventCreate(cudaEvent_t* event) { return __host_cuda_event_create((void**)event); }
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) { return __host_cuda_event_create((void**)event); }
cudaError_t __host_cuda_event_destroy(void* event);
inline cudaError_t cudaEventDestroy(cudaEvent_t event) { return __host_cuda_event_destroy((void*)event); }

//: cudaEventRecord __host_cuda_event_record
cudaError_t __host_cuda_event_record(void* event, void* stream);
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0) {
    return __host_cuda_event_record((void*)event, (void*)stream);
}

//: cudaEventRecordWithFlags cudaEventRecordDefault
enum { cudaEventRecordDefault = 0 };
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = 0, unsigned flags = 0) {
    return cudaEventRecord(event, stream);
}

//: cudaEventSynchronize __host_cuda_event_synchronize
cudaError_t __host_cuda_event_synchronize(void* event);
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) { return __host_cuda_event_synchronize((void*)event); }

//: cudaEventQuery
inline cudaError_t cudaEventQuery(cudaEvent_t event) { return __host_cuda_event_synchronize((void*)event); }

//: cudaStreamWaitEvent cudaEventWaitDefault __host_cuda_stream_wait
enum { cudaEventWaitDefault = 0 };
cudaError_t __host_cuda_stream_wait(void* stream, void* event);
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0) {
    return __host_cuda_stream_wait((void*)stream, (void*)event);
}

//: cudaEventElapsedTime __host_cuda_event_elapsed
cudaError_t __host_cuda_event_elapsed(float* milliseconds, void* start, void* stop);
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
    return __host_cuda_event_elapsed(milliseconds, (void*)start, (void*)stop);
}

//: __host_cuda_capability __host_cuda_shared_room
// What the kernels were compiled for, and what a block may have there.
int __host_cuda_capability();
size_t __host_cuda_shared_room();

//: cudaDeviceProp cudaGetDeviceProperties
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int deviceOverlap;
    int multiProcessorCount;
    int kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    int computeMode;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture1DLinear;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int cooperativeLaunch;
    int maxBlocksPerMultiProcessor;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int pciDomainID;
    int isMultiGpuBoard;
    int streamPrioritiesSupported;
    int hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    int multiGpuBoardGroupID;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeMultiDeviceLaunch;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
};
// The limits that the programming guide lists for the target of the kernels; the rates and the memory are round numbers.
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* known, int device) {
    if (device != 0) return cudaErrorInvalidDevice;
    memset(known, 0, sizeof(cudaDeviceProp));
    const char* name = "Thirty-Two Lanes";
    for (int i = 0; name[i]; i++) known->name[i] = name[i];
    known->totalGlobalMem = 8ull << 30;
    known->sharedMemPerBlock = 48 << 10;
    known->regsPerBlock = 64 << 10;
    known->warpSize = 32;
    known->memPitch = 2147483647;
    known->maxThreadsPerBlock = 1024;
    known->maxThreadsDim[0] = 1024;
    known->maxThreadsDim[1] = 1024;
    known->maxThreadsDim[2] = 64;
    known->maxGridSize[0] = 2147483647;
    known->maxGridSize[1] = 65535;
    known->maxGridSize[2] = 65535;
    known->clockRate = 1000000;
    known->totalConstMem = 64 << 10;
    known->major = __host_cuda_capability() / 10;
    known->minor = __host_cuda_capability() % 10;
    known->textureAlignment = 512;
    known->texturePitchAlignment = 32;
    known->surfaceAlignment = 512;
    known->maxTexture1D = known->maxTexture2D[0] = known->maxSurface2D[0] = 131072;
    known->maxTexture2D[1] = known->maxSurface2D[1] = 65536;
    known->maxTexture1DLinear = 1 << 28;
    known->maxTexture2DLinear[0] = 131072;
    known->maxTexture2DLinear[1] = 65000;
    known->maxTexture2DLinear[2] = 2097120;
    known->maxTexture2DGather[0] = known->maxTexture2DGather[1] = 32768;
    known->maxTexture1DMipmap = known->maxTexture2DMipmap[0] = known->maxTexture2DMipmap[1] = 32768;
    known->maxTextureCubemap = known->maxSurface1D = known->maxSurfaceCubemap = 32768;
    known->maxTexture1DLayered[0] = known->maxTexture2DLayered[0] = known->maxTexture2DLayered[1] = 32768;
    known->maxSurface1DLayered[0] = known->maxSurface2DLayered[0] = known->maxSurface2DLayered[1] = 32768;
    known->maxTextureCubemapLayered[0] = known->maxSurfaceCubemapLayered[0] = 32768;
    known->maxTexture1DLayered[1] = known->maxTexture2DLayered[2] = 2048;
    known->maxSurface1DLayered[1] = known->maxSurface2DLayered[2] = 2048;
    known->maxTextureCubemapLayered[1] = known->maxSurfaceCubemapLayered[1] = 2046;
    for (int i = 0; i < 3; i++) known->maxTexture3D[i] = known->maxSurface3D[i] = 16384;
    known->maxTexture3DAlt[0] = known->maxTexture3DAlt[1] = 8192;
    known->maxTexture3DAlt[2] = 32768;
    known->globalL1CacheSupported = known->localL1CacheSupported = 1;
    known->computePreemptionSupported = 1;
    known->deviceOverlap = 1;
    known->multiProcessorCount = 80;
    known->canMapHostMemory = 1;
    known->concurrentKernels = 1;
    known->asyncEngineCount = 1;
    known->unifiedAddressing = 1;
    known->memoryClockRate = 1000000;
    known->memoryBusWidth = 1024;
    known->l2CacheSize = 6 << 20;
    known->maxThreadsPerMultiProcessor = 2048;
    known->sharedMemPerMultiprocessor = __host_cuda_shared_room();
    known->regsPerMultiprocessor = 64 << 10;
    known->managedMemory = 1;
    known->cooperativeLaunch = 1;
    known->maxBlocksPerMultiProcessor = 32;
    known->sharedMemPerBlockOptin = __host_cuda_shared_room();
    known->concurrentManagedAccess = 1;
    return cudaSuccess;
}

//: cudaMemGetInfo __host_cuda_memory_left cudaDriverGetVersion cudaRuntimeGetVersion
size_t __host_cuda_memory_left();
inline cudaError_t cudaMemGetInfo(size_t* left, size_t* all) {
    *all = 8ull << 30;
    *left = __host_cuda_memory_left();
    return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int* version) { *version = 12000; return cudaSuccess; }
inline cudaError_t cudaRuntimeGetVersion(int* version) { *version = 12000; return cudaSuccess; }

//: cudaMemPrefetchAsync cudaMemAdvise cudaDeviceSetCacheConfig cudaFuncCachePreferL1 cudaFuncCachePreferShared cudaFuncCachePreferNone cudaFuncSetCacheConfig cudaCpuDeviceId cudaMemAdviseSetReadMostly cudaMemAdviseSetPreferredLocation cudaMemAdviseSetAccessedBy cudaMemAdviseUnsetReadMostly
enum { cudaCpuDeviceId = -1 };
enum { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly = 2, cudaMemAdviseSetPreferredLocation = 3, cudaMemAdviseSetAccessedBy = 5 };
enum cudaFuncCache { cudaFuncCachePreferNone = 0, cudaFuncCachePreferShared = 1, cudaFuncCachePreferL1 = 2 };
template <typename F>
inline cudaError_t cudaFuncSetCacheConfig(F kernel, cudaFuncCache config) { return cudaSuccess; }
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream = 0) { return cudaSuccess; }
inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, int advice, int device) { return cudaSuccess; }
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) { return cudaSuccess; }

//: cudaMallocPitch
template <typename T>
cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return __host_cuda_malloc((void**)pointer, *pitch * height);
}

//: __host_cuda_pitch
cudaError_t __host_cuda_pitch(size_t width, size_t pitch);

//: cudaMemcpy2D
inline cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch) return __host_cuda_pitch(width, to_pitch < from_pitch ? to_pitch : from_pitch);
    for (size_t row = 0; row < height; row++) {
        cudaError_t error = cudaMemcpy((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width, kind);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

//: cudaMemset2D
inline cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
    if (width > pitch) return __host_cuda_pitch(width, pitch);
    for (size_t row = 0; row < height; row++) {
        cudaError_t error = cudaMemset((char*)to + row * pitch, value, width);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

//: cudaMemcpy2DAsync
inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0) {
    if (width > to_pitch || width > from_pitch) return __host_cuda_pitch(width, to_pitch < from_pitch ? to_pitch : from_pitch);
    for (size_t row = 0; row < height; row++) {
        cudaError_t error = cudaMemcpyAsync((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width, kind, stream);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

//: cudaMemset2DAsync
inline cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream = 0) {
    if (width > pitch) return __host_cuda_pitch(width, pitch);
    for (size_t row = 0; row < height; row++) {
        cudaError_t error = cudaMemsetAsync((char*)to + row * pitch, value, width, stream);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

//: cudaExtent cudaPos cudaPitchedPtr make_cudaExtent make_cudaPos make_cudaPitchedPtr cudaMalloc3D
struct cudaExtent { size_t width; size_t height; size_t depth; };
struct cudaPos { size_t x; size_t y; size_t z; };
struct cudaPitchedPtr { void* ptr; size_t pitch; size_t xsize; size_t ysize; };
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    cudaExtent made;
    made.width = width;
    made.height = height;
    made.depth = depth;
    return made;
}
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    cudaPos made;
    made.x = x;
    made.y = y;
    made.z = z;
    return made;
}
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
    cudaPitchedPtr made;
    made.ptr = pointer;
    made.pitch = pitch;
    made.xsize = width;
    made.ysize = height;
    return made;
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr* made, cudaExtent extent) {
    void* pointer = nullptr;
    size_t pitch = 0;
    const cudaError_t error = cudaMallocPitch(&pointer, &pitch, extent.width, extent.height * extent.depth);
    *made = make_cudaPitchedPtr(pointer, pitch, extent.width, extent.height);
    return error;
}

//: cudaMemset3D cudaMemset3DAsync
inline cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    for (size_t layer = 0; layer < extent.depth; layer++) {
        char* first = (char*)to.ptr + layer * to.pitch * to.ysize;
        const cudaError_t error = cudaMemset2D(first, to.pitch, value, extent.width, extent.height);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
inline cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream = 0) {
    for (size_t layer = 0; layer < extent.depth; layer++) {
        char* first = (char*)to.ptr + layer * to.pitch * to.ysize;
        const cudaError_t error = cudaMemset2DAsync(first, to.pitch, value, extent.width, extent.height, stream);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

//: cudaMemcpy3DParms cudaMemcpy3D cudaMemcpy3DAsync __host_cuda_layer
// Without arrays: `srcArray` and `dstArray` are not there.
struct cudaMemcpy3DParms {
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
inline char* __host_cuda_layer(const cudaPitchedPtr& of, const cudaPos& at, size_t layer) {
    return (char*)of.ptr + ((at.z + layer) * of.ysize + at.y) * of.pitch + at.x;
}
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy) {
    for (size_t layer = 0; layer < copy->extent.depth; layer++) {
        char* to = __host_cuda_layer(copy->dstPtr, copy->dstPos, layer);
        const char* from = __host_cuda_layer(copy->srcPtr, copy->srcPos, layer);
        const cudaError_t error = cudaMemcpy2D(to, copy->dstPtr.pitch, from, copy->srcPtr.pitch, copy->extent.width, copy->extent.height, copy->kind);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream = 0) {
    for (size_t layer = 0; layer < copy->extent.depth; layer++) {
        char* to = __host_cuda_layer(copy->dstPtr, copy->dstPos, layer);
        const char* from = __host_cuda_layer(copy->srcPtr, copy->srcPos, layer);
        const cudaError_t error = cudaMemcpy2DAsync(to, copy->dstPtr.pitch, from, copy->srcPtr.pitch, copy->extent.width, copy->extent.height, copy->kind, stream);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

//: cudaMemcpyPeer cudaMemcpyPeerAsync
inline cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
    if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
inline cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream = 0) {
    if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

//: cudaDeviceGetAttribute cudaDeviceAttr cudaDevAttrMaxThreadsPerBlock cudaDevAttrMaxBlockDimX cudaDevAttrMaxBlockDimY cudaDevAttrMaxBlockDimZ cudaDevAttrMaxGridDimX cudaDevAttrMaxSharedMemoryPerBlock cudaDevAttrTotalConstantMemory cudaDevAttrWarpSize cudaDevAttrMaxRegistersPerBlock cudaDevAttrClockRate cudaDevAttrMultiProcessorCount cudaDevAttrIntegrated cudaDevAttrCanMapHostMemory cudaDevAttrComputeMode cudaDevAttrConcurrentKernels cudaDevAttrMemoryClockRate cudaDevAttrGlobalMemoryBusWidth cudaDevAttrL2CacheSize cudaDevAttrMaxThreadsPerMultiProcessor cudaDevAttrUnifiedAddressing cudaDevAttrComputeCapabilityMajor cudaDevAttrComputeCapabilityMinor cudaDevAttrMaxSharedMemoryPerMultiprocessor cudaDevAttrMaxRegistersPerMultiprocessor cudaDevAttrManagedMemory cudaDevAttrPageableMemoryAccess cudaDevAttrConcurrentManagedAccess cudaDevAttrCooperativeLaunch cudaDevAttrMaxSharedMemoryPerBlockOptin cudaDevAttrMaxBlocksPerMultiprocessor cudaDevAttrMemoryPoolsSupported
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMemoryPoolsSupported = 115
};
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    if (device != 0) return cudaErrorInvalidDevice;
    switch (attribute) {
        case 1: *value = 1024; break;
        case 2: *value = 1024; break;
        case 3: *value = 1024; break;
        case 4: *value = 64; break;
        case 5: *value = 2147483647; break;
        case 8: *value = 49152; break;
        case 9: *value = 65536; break;
        case 10: *value = 32; break;
        case 12: *value = 65536; break;
        case 13: *value = 1000000; break;
        case 16: *value = 80; break;
        case 18: *value = 0; break;
        case 19: *value = 1; break;
        case 20: *value = 0; break;
        case 31: *value = 1; break;
        case 36: *value = 1000000; break;
        case 37: *value = 1024; break;
        case 38: *value = 6291456; break;
        case 39: *value = 2048; break;
        case 41: *value = 1; break;
        case 75: *value = __host_cuda_capability() / 10; break;
        case 76: *value = __host_cuda_capability() % 10; break;
        case 81: *value = (int)__host_cuda_shared_room(); break;
        case 82: *value = 65536; break;
        case 83: *value = 1; break;
        case 88: *value = 0; break;
        case 89: *value = 1; break;
        case 95: *value = 1; break;
        case 97: *value = (int)__host_cuda_shared_room(); break;
        case 106: *value = 32; break;
        case 115: *value = 1; break;
        default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

//: cudaComputeModeDefault cudaComputeModeProhibited cudaComputeModeExclusiveProcess
enum cudaComputeMode { cudaComputeModeDefault = 0, cudaComputeModeProhibited = 2, cudaComputeModeExclusiveProcess = 3 };

//: cudaFuncSetAttribute cudaFuncAttribute cudaFuncAttributeMaxDynamicSharedMemorySize cudaFuncAttributePreferredSharedMemoryCarveout __host_cuda_shared_limit
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
cudaError_t __host_cuda_shared_limit(const void* kernel, size_t bytes);
template <typename F>
cudaError_t cudaFuncSetAttribute(F kernel, cudaFuncAttribute attribute, int value) {
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    return value < 0 ? cudaErrorInvalidValue : __host_cuda_shared_limit((const void*)kernel, (size_t)value);
}

//: cudaOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cudaOccupancyMaxPotentialBlockSize cudaOccupancyMaxPotentialBlockSizeWithFlags cudaOccupancyMaxPotentialBlockSizeVariableSMem cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags cudaOccupancyDefault cudaOccupancyDisableCachingOverride __host_cuda_occupancy
enum { cudaOccupancyDefault = 0, cudaOccupancyDisableCachingOverride = 1 };
size_t __host_cuda_occupancy(const void* kernel, size_t threads, size_t shared);
template <typename F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F kernel, int threads, size_t shared) {
    if (threads <= 0) return cudaErrorInvalidValue;
    *blocks = (int)__host_cuda_occupancy((const void*)kernel, threads, shared);
    return cudaSuccess;
}
template <typename F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F kernel, int threads, size_t shared, unsigned flags) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}
// The largest of the blocks with which the most threads are on a multiprocessor. All but the first one that is tried are whole
// warps.
template <typename F, typename S>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid, int* block, F kernel, S shared_of, int limit = 0, unsigned flags = 0) {
    if (flags > 1) return cudaErrorInvalidValue;
    int best = 0;
    *block = 0;
    const int most = limit > 0 && limit < 1024 ? limit : 1024;
    for (int whole = (most + 31) / 32 * 32; whole > 0; whole -= 32) {
        int blocks = 0, threads = whole < most ? whole : most;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_of(threads));
        if (blocks * threads <= best) continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * 80;
    }
    return best > 0 ? cudaSuccess : cudaErrorInvalidValue;
}
template <typename F, typename S>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, F kernel, S shared_of, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, shared_of, limit);
}
template <typename F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, F kernel, size_t shared = 0, int limit = 0, unsigned flags = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, [shared](int) { return shared; }, limit, flags);
}
template <typename F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F kernel, size_t shared = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared, limit);
}

//: cudaFuncGetAttributes cudaFuncAttributes __host_cuda_shared_bytes __host_cuda_shared_allowed
struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    size_t constSizeBytes;
    size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion;
    int binaryVersion;
    int cacheModeCA;
    int maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
};
size_t __host_cuda_shared_bytes(const void* kernel);
size_t __host_cuda_shared_allowed(const void* kernel);
// How many registers a kernel needs is not known here: 32 fit on a multiprocessor that is full of threads.
template <typename F>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* known, F kernel) {
    memset(known, 0, sizeof(cudaFuncAttributes));
    known->sharedSizeBytes = __host_cuda_shared_bytes((const void*)kernel);
    known->maxThreadsPerBlock = 1024;
    known->numRegs = 32;
    known->ptxVersion = 70;
    known->binaryVersion = 70;
    known->maxDynamicSharedSizeBytes = (int)(__host_cuda_shared_allowed((const void*)kernel) - known->sharedSizeBytes);
    known->preferredShmemCarveout = -1;
    return cudaSuccess;
}

//: cudaLaunchKernel __host_cuda_launch
cudaError_t __host_cuda_launch(const void* kernel, const dim3& grid, const dim3& block, void** arguments, size_t shared, void* stream);
template <typename F>
cudaError_t cudaLaunchKernel(F kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0, cudaStream_t stream = 0) {
    return __host_cuda_launch((const void*)kernel, grid, block, arguments, shared, (void*)stream);
}

//: cudaLaunchCooperativeKernel __host_cuda_launch_cooperative
cudaError_t __host_cuda_launch_cooperative(const void* kernel, const dim3& grid, const dim3& block, void** arguments, size_t shared, void* stream);
template <typename F>
cudaError_t cudaLaunchCooperativeKernel(F kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0, cudaStream_t stream = 0) {
    return __host_cuda_launch_cooperative((const void*)kernel, grid, block, arguments, shared, (void*)stream);
}

//: cudaLaunchAttributeID cudaLaunchAttributeIgnore cudaLaunchAttributeCooperative cudaLaunchAttributeClusterDimension cudaLaunchAttributePriority cudaLaunchAttributeProgrammaticStreamSerialization cudaLaunchAttributeValue cudaLaunchAttribute cudaLaunchConfig_t cudaLaunchKernelExC __host_cuda_is_cooperative __host_cuda_next_launch __host_cuda_set_next __host_cuda_cluster
enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributePriority = 8,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
struct __host_cuda_cluster {
    unsigned x;
    unsigned y;
    unsigned z;
};
union cudaLaunchAttributeValue {
    int cooperative;
    int priority;
    int programmaticStreamSerializationAllowed;
    __host_cuda_cluster clusterDim;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};
inline bool __host_cuda_is_cooperative(const cudaLaunchConfig_t* config) {
    bool is_cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        if (config->attrs[i].id == cudaLaunchAttributeCooperative) is_cooperative = config->attrs[i].val.cooperative != 0;
    }
    return is_cooperative;
}
void __host_cuda_next_launch(int is_cooperative, unsigned x, unsigned y, unsigned z);
// Says of the next launch what its attributes say.
inline void __host_cuda_set_next(const cudaLaunchConfig_t* config) {
    unsigned x = 0, y = 0, z = 0;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        if (config->attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
        x = config->attrs[i].val.clusterDim.x;
        y = config->attrs[i].val.clusterDim.y;
        z = config->attrs[i].val.clusterDim.z;
    }
    __host_cuda_next_launch(__host_cuda_is_cooperative(config), x, y, z);
}
template <typename F>
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, F kernel, void** arguments) {
    __host_cuda_set_next(config);
    if (__host_cuda_is_cooperative(config)) {
        return cudaLaunchCooperativeKernel(kernel, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream);
    }
    return cudaLaunchKernel(kernel, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream);
}

//: cudaLaunchKernelEx __host_cuda_launch_error
cudaError_t __host_cuda_launch_error();
#define __CUDAC_LAUNCH(...) \
    __host_cuda_set_next(config); \
    kernel<<<config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream>>>(__VA_ARGS__); \
    return __host_cuda_launch_error()
template <typename F>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, F kernel) { __CUDAC_LAUNCH(); }
template <typename F, typename A0>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, F kernel, A0 a0) { __CUDAC_LAUNCH(a0); }
template <typename F, typename A0, typename A1>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, F kernel, A0 a0, A1 a1) { __CUDAC_LAUNCH(a0, a1); }
template <typename F, typename A0, typename A1, typename A2>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, F kernel, A0 a0, A1 a1, A2 a2) { __CUDAC_LAUNCH(a0, a1, a2); }
template <typename F, typename A0, typename A1, typename A2, typename A3>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, F kernel, A0 a0, A1 a1, A2 a2, A3 a3) { __CUDAC_LAUNCH(a0, a1, a2, a3); }
template <typename F, typename A0, typename A1, typename A2, typename A3, typename A4>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, F kernel, A0 a0, A1 a1, A2 a2, A3 a3, A4 a4) { __CUDAC_LAUNCH(a0, a1, a2, a3, a4); }
template <typename F, typename A0, typename A1, typename A2, typename A3, typename A4, typename A5>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, F kernel, A0 a0, A1 a1, A2 a2, A3 a3, A4 a4, A5 a5) { __CUDAC_LAUNCH(a0, a1, a2, a3, a4, a5); }
template <typename F, typename A0, typename A1, typename A2, typename A3, typename A4, typename A5, typename A6>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, F kernel, A0 a0, A1 a1, A2 a2, A3 a3, A4 a4, A5 a5, A6 a6) { __CUDAC_LAUNCH(a0, a1, a2, a3, a4, a5, a6); }
template <typename F, typename A0, typename A1, typename A2, typename A3, typename A4, typename A5, typename A6, typename A7>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, F kernel, A0 a0, A1 a1, A2 a2, A3 a3, A4 a4, A5 a5, A6 a6, A7 a7) { __CUDAC_LAUNCH(a0, a1, a2, a3, a4, a5, a6, a7); }

//: cudaArray cudaArray_t cudaArray_const_t cudaChannelFormatKind cudaChannelFormatKindSigned cudaChannelFormatKindUnsigned cudaChannelFormatKindFloat cudaChannelFormatDesc cudaCreateChannelDesc cudaMallocArray cudaMalloc3DArray cudaFreeArray cudaMemcpyToArray cudaMemcpy2DToArray cudaMemcpy2DFromArray
// Declared so that a program which uses them is told what is not supported.
struct cudaArray;
typedef cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;
enum cudaChannelFormatKind { cudaChannelFormatKindSigned = 0, cudaChannelFormatKindUnsigned = 1, cudaChannelFormatKindFloat = 2 };
struct cudaChannelFormatDesc { int x; int y; int z; int w; cudaChannelFormatKind f; };
template <typename T>
cudaChannelFormatDesc cudaCreateChannelDesc() { return cudaChannelFormatDesc{8 * sizeof(T), 0, 0, 0, cudaChannelFormatKindFloat}; }
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
    return cudaChannelFormatDesc{x, y, z, w, f};
}
cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* description, size_t width, size_t height = 0, unsigned flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* description, cudaExtent extent, unsigned flags = 0);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind);

//: cudaMallocAsync cudaFreeAsync __host_cuda_malloc_async __host_cuda_free_async
cudaError_t __host_cuda_malloc_async(void** pointer, size_t bytes, void* stream);
cudaError_t __host_cuda_free_async(void* pointer, void* stream);
template <typename T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
    return __host_cuda_malloc_async((void**)pointer, bytes, (void*)stream);
}
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) { return __host_cuda_free_async(pointer, (void*)stream); }

//: cudaMemcpyToSymbolAsync cudaMemcpyFromSymbolAsync __host_cuda_to_symbol_async __host_cuda_from_symbol_async
cudaError_t __host_cuda_to_symbol_async(const void* symbol, size_t whole, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind, void* stream);
cudaError_t __host_cuda_from_symbol_async(void* to, const void* symbol, size_t whole, size_t bytes, size_t offset, cudaMemcpyKind kind, void* stream);
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
    return __host_cuda_to_symbol_async((const void*)&symbol, sizeof(T), from, bytes, offset, kind, (void*)stream);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
    return __host_cuda_from_symbol_async(to, (const void*)&symbol, sizeof(T), bytes, offset, kind, (void*)stream);
}

//: cudaGetSymbolAddress cudaGetSymbolSize
template <typename T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
    // On the host a name of the device has a bit that no address has.
    *pointer = (void*)((unsigned long)&symbol & ~(1ul << 60));
    return cudaSuccess;
}
template <typename T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
    *bytes = sizeof(T);
    return cudaSuccess;
}

//: cudaHostRegister cudaHostUnregister cudaHostRegisterDefault cudaHostRegisterPortable cudaHostRegisterMapped cudaHostRegisterReadOnly __host_cuda_register __host_cuda_unregister
enum { cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2, cudaHostRegisterReadOnly = 8 };
cudaError_t __host_cuda_register(void* pointer, size_t bytes);
cudaError_t __host_cuda_unregister(void* pointer);
inline cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) { return __host_cuda_register(pointer, bytes); }
inline cudaError_t cudaHostUnregister(void* pointer) { return __host_cuda_unregister(pointer); }

//: cudaPointerGetAttributes cudaPointerAttributes cudaMemoryType cudaMemoryTypeUnregistered cudaMemoryTypeHost cudaMemoryTypeDevice cudaMemoryTypeManaged __host_cuda_memory_type __host_cuda_device_pointer
enum cudaMemoryType { cudaMemoryTypeUnregistered = 0, cudaMemoryTypeHost = 1, cudaMemoryTypeDevice = 2, cudaMemoryTypeManaged = 3 };
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void* devicePointer;
    void* hostPointer;
};
int __host_cuda_memory_type(const void* pointer);
void* __host_cuda_device_pointer(const void* pointer);
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* known, const void* pointer) {
    const int type = __host_cuda_memory_type(pointer);
    known->type = (cudaMemoryType)type;
    known->device = type == cudaMemoryTypeUnregistered ? -2 : 0;
    known->devicePointer = type == cudaMemoryTypeUnregistered ? nullptr : __host_cuda_device_pointer(pointer);
    known->hostPointer = type == cudaMemoryTypeDevice ? nullptr : (void*)pointer;
    return cudaSuccess;
}

//: cudaHostGetDevicePointer cudaHostGetFlags
template <typename T>
cudaError_t cudaHostGetDevicePointer(T** pointer, void* of_host, unsigned flags) {
    if (__host_cuda_memory_type(of_host) != cudaMemoryTypeHost) return cudaErrorInvalidValue;
    *pointer = (T*)__host_cuda_device_pointer(of_host);
    return cudaSuccess;
}
inline cudaError_t cudaHostGetFlags(unsigned* flags, void* of_host) {
    if (__host_cuda_memory_type(of_host) != cudaMemoryTypeHost) return cudaErrorInvalidValue;
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

//: cudaDeviceSetLimit cudaDeviceGetLimit cudaThreadSetLimit cudaLimit cudaLimitStackSize cudaLimitPrintfFifoSize cudaLimitMallocHeapSize __host_cuda_set_limit __host_cuda_get_limit
enum cudaLimit { cudaLimitStackSize = 0, cudaLimitPrintfFifoSize = 1, cudaLimitMallocHeapSize = 2 };
cudaError_t __host_cuda_set_limit(int limit, size_t value);
size_t __host_cuda_get_limit(int limit);
inline cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) { return __host_cuda_set_limit(limit, value); }
inline cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return __host_cuda_set_limit(limit, value); }
inline cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    *value = __host_cuda_get_limit(limit);
    return cudaSuccess;
}

//: cudaSetDeviceFlags cudaDeviceScheduleAuto cudaDeviceScheduleSpin cudaDeviceScheduleYield cudaDeviceScheduleBlockingSync cudaDeviceMapHost
enum { cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2, cudaDeviceScheduleBlockingSync = 4, cudaDeviceMapHost = 8 };
inline cudaError_t cudaSetDeviceFlags(unsigned flags) { return cudaSuccess; }

//: cudaDeviceCanAccessPeer cudaDeviceEnablePeerAccess
inline cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    *can = 0;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) { return cudaErrorInvalidDevice; }

//: cudaLaunchHostFunc cudaHostFn_t cudaStreamAddCallback cudaStreamCallback_t __host_cuda_callback_begin __host_cuda_callback_end
typedef void (*cudaHostFn_t)(void* data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void* data);
cudaError_t __host_cuda_callback_begin(void* stream);
cudaError_t __host_cuda_callback_end();
inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    if (!function) return cudaErrorInvalidValue;
    const cudaError_t error = __host_cuda_callback_begin((void*)stream);
    if (error != cudaSuccess) return error;
    function(data);
    return __host_cuda_callback_end();
}
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned flags) {
    if (!function || flags != 0) return cudaErrorInvalidValue;
    const cudaError_t error = __host_cuda_callback_begin((void*)stream);
    if (error != cudaSuccess) return error;
    function(stream, cudaSuccess, data);
    return __host_cuda_callback_end();
}

//: cudaGraph_t cudaGraphExec_t cudaGraphNode_t CUgraph_st CUgraphExec_st CUgraphNode_st
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
typedef CUgraph_st* cudaGraph_t;
typedef CUgraphExec_st* cudaGraphExec_t;
typedef CUgraphNode_st* cudaGraphNode_t;

//: cudaStreamBeginCapture cudaStreamEndCapture cudaStreamIsCapturing cudaStreamCaptureMode cudaStreamCaptureModeGlobal cudaStreamCaptureModeThreadLocal cudaStreamCaptureModeRelaxed cudaStreamCaptureStatus cudaStreamCaptureStatusNone cudaStreamCaptureStatusActive __host_cuda_capture_begin __host_cuda_capture_end __host_cuda_is_capturing
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal = 0, cudaStreamCaptureModeThreadLocal = 1, cudaStreamCaptureModeRelaxed = 2 };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive = 1 };
cudaError_t __host_cuda_capture_begin(void* stream);
cudaError_t __host_cuda_capture_end(void* stream, void** graph);
int __host_cuda_is_capturing(void* stream);
inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) { return __host_cuda_capture_begin((void*)stream); }
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) { return __host_cuda_capture_end((void*)stream, (void**)graph); }
inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    *status = __host_cuda_is_capturing((void*)stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

//: cudaGraphCreate cudaGraphInstantiate cudaGraphInstantiateWithFlags cudaGraphLaunch cudaGraphUpload cudaGraphDestroy cudaGraphExecDestroy cudaGraphGetNodes __host_cuda_graph_create __host_cuda_graph_launch __host_cuda_graph_nodes __host_cuda_graph_keep __host_cuda_graph_drop
cudaError_t __host_cuda_graph_create(void** graph, unsigned int flags);
cudaError_t __host_cuda_graph_launch(void* graph, void* stream);
size_t __host_cuda_graph_nodes(void* graph);
cudaError_t __host_cuda_graph_keep(void* graph);
cudaError_t __host_cuda_graph_drop(void* graph);
inline cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) { return __host_cuda_graph_create((void**)graph, flags); }
// A graph is never changed, so what is made of it is the graph itself, which ends when all of its handles are destroyed.
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags = 0) {
    *made = (cudaGraphExec_t)graph;
    return __host_cuda_graph_keep((void*)graph);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, cudaGraphNode_t* node, char* text, size_t bytes) {
    return cudaGraphInstantiate(made, graph);
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags) {
    return cudaGraphInstantiate(made, graph, flags);
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) { return __host_cuda_graph_launch((void*)graph, (void*)stream); }
inline cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream) { return cudaSuccess; }
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return __host_cuda_graph_drop((void*)graph); }
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) { return __host_cuda_graph_drop((void*)graph); }
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    *count = __host_cuda_graph_nodes((void*)graph);
    return nodes ? cudaErrorNotSupported : cudaSuccess;
}

//: cudaProfilerStart cudaProfilerStop
inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }

//: cudaChooseDevice
inline cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
    *device = 0;
    return cudaSuccess;
}

//: cudaDeviceGetPCIBusId cudaDeviceSetSharedMemConfig cudaDeviceGetSharedMemConfig cudaFuncSetSharedMemConfig cudaSharedMemConfig cudaSharedMemBankSizeDefault cudaSharedMemBankSizeFourByte cudaSharedMemBankSizeEightByte
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault = 0, cudaSharedMemBankSizeFourByte = 1, cudaSharedMemBankSizeEightByte = 2 };
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}
template <typename F>
cudaError_t cudaFuncSetSharedMemConfig(F kernel, cudaSharedMemConfig config) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    const char* known = "0000:00:00.0";
    if (device != 0) return cudaErrorInvalidDevice;
    for (int i = 0; i < length; i++) {
        text[i] = known[i];
        if (!known[i]) break;
    }
    return cudaSuccess;
}

//: cudaStreamAttachMemAsync cudaMemAttachGlobal cudaMemAttachHost cudaMemAttachSingle
// The device lets host and device use managed memory at the same time, so it moves whoever it is attached to.
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4 };
template <typename T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, size_t bytes = 0, unsigned flags = 4) {
    return __host_cuda_memory_type((const void*)pointer) == cudaMemoryTypeManaged ? cudaSuccess : cudaErrorInvalidValue;
}

//: cudaStreamGetFlags cudaStreamGetPriority __host_cuda_stream_flags
unsigned __host_cuda_stream_flags(void* stream);
inline cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    *flags = __host_cuda_stream_flags((void*)stream);
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    *priority = 0;
    return cudaSuccess;
}

//: cudaDeviceGetStreamPriorityRange
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = 0;
    return cudaSuccess;
}

//: CUresult cudaError_enum CUDA_SUCCESS CUDA_ERROR_INVALID_VALUE CUDA_ERROR_OUT_OF_MEMORY CUDA_ERROR_NOT_INITIALIZED CUDA_ERROR_INVALID_CONTEXT CUDA_ERROR_NOT_FOUND CUDA_ERROR_NOT_SUPPORTED CUDA_ERROR_UNKNOWN
// Of the driver there is only what programs need beside the runtime: tensor maps.
enum cudaError_enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_UNKNOWN = 999
};
typedef enum cudaError_enum CUresult;

//: cuInit
inline CUresult cuInit(unsigned flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

//: cuGetErrorName cuGetErrorString
inline CUresult cuGetErrorName(CUresult error, const char** text) {
    *text = error == CUDA_SUCCESS ? "CUDA_SUCCESS" : error == CUDA_ERROR_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE"
        : error == CUDA_ERROR_NOT_SUPPORTED ? "CUDA_ERROR_NOT_SUPPORTED" : "CUDA_ERROR_UNKNOWN";
    return CUDA_SUCCESS;
}
inline CUresult cuGetErrorString(CUresult error, const char** text) {
    *text = error == CUDA_SUCCESS ? "no error" : error == CUDA_ERROR_INVALID_VALUE ? "invalid argument"
        : error == CUDA_ERROR_NOT_SUPPORTED ? "operation not supported" : "unknown error";
    return CUDA_SUCCESS;
}

//: cuuint32_t cuuint64_t CUdeviceptr
typedef unsigned cuuint32_t;
typedef unsigned long cuuint64_t;
typedef unsigned long long CUdeviceptr;

//: CUtensorMapDataType CUtensorMapDataType_enum CU_TENSOR_MAP_DATA_TYPE_UINT8 CU_TENSOR_MAP_DATA_TYPE_UINT16 CU_TENSOR_MAP_DATA_TYPE_UINT32 CU_TENSOR_MAP_DATA_TYPE_INT32 CU_TENSOR_MAP_DATA_TYPE_UINT64 CU_TENSOR_MAP_DATA_TYPE_INT64 CU_TENSOR_MAP_DATA_TYPE_FLOAT16 CU_TENSOR_MAP_DATA_TYPE_FLOAT32 CU_TENSOR_MAP_DATA_TYPE_FLOAT64 CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B
typedef enum CUtensorMapDataType_enum {
    CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
    CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
    CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
    CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
    CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
    CU_TENSOR_MAP_DATA_TYPE_INT64 = 5,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8,
    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ = 10,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 = 11,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ = 12,
    CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B = 13,
    CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B = 14,
    CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B = 15
} CUtensorMapDataType;

//: CUtensorMapInterleave CUtensorMapInterleave_enum CU_TENSOR_MAP_INTERLEAVE_NONE CU_TENSOR_MAP_INTERLEAVE_16B CU_TENSOR_MAP_INTERLEAVE_32B
typedef enum CUtensorMapInterleave_enum {
    CU_TENSOR_MAP_INTERLEAVE_NONE = 0,
    CU_TENSOR_MAP_INTERLEAVE_16B = 1,
    CU_TENSOR_MAP_INTERLEAVE_32B = 2
} CUtensorMapInterleave;

//: CUtensorMapSwizzle CUtensorMapSwizzle_enum CU_TENSOR_MAP_SWIZZLE_NONE CU_TENSOR_MAP_SWIZZLE_32B CU_TENSOR_MAP_SWIZZLE_64B CU_TENSOR_MAP_SWIZZLE_128B CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B
typedef enum CUtensorMapSwizzle_enum {
    CU_TENSOR_MAP_SWIZZLE_NONE = 0,
    CU_TENSOR_MAP_SWIZZLE_32B = 1,
    CU_TENSOR_MAP_SWIZZLE_64B = 2,
    CU_TENSOR_MAP_SWIZZLE_128B = 3,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B = 4,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B = 6
} CUtensorMapSwizzle;

//: CUtensorMapL2promotion CUtensorMapL2promotion_enum CU_TENSOR_MAP_L2_PROMOTION_NONE CU_TENSOR_MAP_L2_PROMOTION_L2_64B CU_TENSOR_MAP_L2_PROMOTION_L2_128B CU_TENSOR_MAP_L2_PROMOTION_L2_256B
typedef enum CUtensorMapL2promotion_enum {
    CU_TENSOR_MAP_L2_PROMOTION_NONE = 0,
    CU_TENSOR_MAP_L2_PROMOTION_L2_64B = 1,
    CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2,
    CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3
} CUtensorMapL2promotion;

//: CUtensorMapFloatOOBfill CUtensorMapFloatOOBfill_enum CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
typedef enum CUtensorMapFloatOOBfill_enum {
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0,
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA = 1
} CUtensorMapFloatOOBfill;

//: cuTensorMapEncodeTiled cuTensorMapReplaceAddress cuTensorMapEncodeIm2col PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000 __host_cuda_tensor_map __host_cuda_tensor_map_address __host_cuda_tensor_map_im2col
CUresult __host_cuda_tensor_map(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* lengths, const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult __host_cuda_tensor_map_address(CUtensorMap* map, void* address);
CUresult __host_cuda_tensor_map_im2col();
inline CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* lengths, const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    return __host_cuda_tensor_map(map, type, rank, address, sizes, strides, lengths, steps, interleave, swizzle, promotion, fill);
}
inline CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) { return __host_cuda_tensor_map_address(map, address); }
inline CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* sizes, const cuuint64_t* strides, const int* lower, const int* upper, cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    return __host_cuda_tensor_map_im2col();
}
typedef CUresult (*PFN_cuTensorMapEncodeTiled)(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* lengths, const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
typedef PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000;

//: cudaGetDriverEntryPoint cudaGetDriverEntryPointByVersion cudaDriverEntryPointQueryResult cudaDriverEntryPointSuccess cudaDriverEntryPointSymbolNotFound cudaDriverEntryPointVersionNotSufficent cudaEnableDefault cudaEnableLegacyStream cudaEnablePerThreadDefaultStream
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess = 0, cudaDriverEntryPointSymbolNotFound = 1, cudaDriverEntryPointVersionNotSufficent = 2 };
enum { cudaEnableDefault = 0, cudaEnableLegacyStream = 1, cudaEnablePerThreadDefaultStream = 2 };
inline bool __is_named(const char* name, const char* known) {
    while (*known && *name == *known) name++, known++;
    return *name == *known;
}
inline cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version, unsigned long long flags, cudaDriverEntryPointQueryResult* result = 0) {
    *function = __is_named(name, "cuTensorMapEncodeTiled") ? (void*)&cuTensorMapEncodeTiled
        : __is_named(name, "cuTensorMapReplaceAddress") ? (void*)&cuTensorMapReplaceAddress
        : __is_named(name, "cuTensorMapEncodeIm2col") ? (void*)&cuTensorMapEncodeIm2col : (void*)0;
    if (result) *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
inline cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags, cudaDriverEntryPointQueryResult* result = 0) {
    return cudaGetDriverEntryPointByVersion(name, function, 12000, flags, result);
}
