// NVTX, with which a program names its parts for a profiler: here nobody listens, so the functions only count how deep ranges lie.
// Written from: NVTX C API Reference, version 3.
typedef unsigned long long nvtxRangeId_t;
typedef struct nvtxDomainRegistration* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration* nvtxStringHandle_t;

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((unsigned short)sizeof(nvtxEventAttributes_t))

enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum nvtxMessageType_t { NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2, NVTX_MESSAGE_TYPE_REGISTERED = 3 };
enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
};

union nvtxMessageValue_t {
    const char* ascii;
    nvtxStringHandle_t registered;
};
union nvtxPayload_t {
    unsigned long long ullValue;
    long long llValue;
    double dValue;
    unsigned uiValue;
    int iValue;
    float fValue;
};
struct nvtxEventAttributes_t {
    unsigned short version;
    unsigned short size;
    unsigned category;
    int colorType;
    unsigned color;
    int payloadType;
    int reserved0;
    nvtxPayload_t payload;
    int messageType;
    nvtxMessageValue_t message;
};

static int __nvtx_depth = 0;
static nvtxRangeId_t __nvtx_ranges = 0;

inline void nvtxInitialize(const void* reserved) {}
inline int nvtxRangePushA(const char* message) { return __nvtx_depth++; }
inline int nvtxRangePushEx(const nvtxEventAttributes_t* attributes) { return __nvtx_depth++; }
inline int nvtxRangePop() { return __nvtx_depth > 0 ? --__nvtx_depth : -1; }
inline nvtxRangeId_t nvtxRangeStartA(const char* message) { return ++__nvtx_ranges; }
inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t* attributes) { return ++__nvtx_ranges; }
inline void nvtxRangeEnd(nvtxRangeId_t id) {}
inline void nvtxMarkA(const char* message) {}
inline void nvtxMarkEx(const nvtxEventAttributes_t* attributes) {}
inline void nvtxNameCategoryA(unsigned category, const char* name) {}
inline void nvtxNameOsThreadA(unsigned thread, const char* name) {}
inline nvtxDomainHandle_t nvtxDomainCreateA(const char* name) { return nullptr; }
inline void nvtxDomainDestroy(nvtxDomainHandle_t domain) {}
inline nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* text) { return nullptr; }
inline void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {}
inline int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) { return __nvtx_depth++; }
inline int nvtxDomainRangePop(nvtxDomainHandle_t domain) { return nvtxRangePop(); }
inline nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) { return ++__nvtx_ranges; }
inline void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {}

#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
