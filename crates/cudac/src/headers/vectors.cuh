// The types of two, three and four numbers, and the functions that make them.
// Written from: CUDA C++ Programming Guide, built-in vector types (sizes and alignments).

//: char1 char2 char3 char4 uchar1 uchar2 uchar3 uchar4 make_char1 make_char2 make_char3 make_char4 make_uchar1 make_uchar2 make_uchar3 make_uchar4
#define VECTORS(name, T, two, four) \
    struct name##1 { T x; }; \
    struct alignas(two) name##2 { T x, y; }; \
    struct name##3 { T x, y, z; }; \
    struct alignas(four) name##4 { T x, y, z, w; }; \
    inline __device__ name##1 make_##name##1(T x) { return name##1{x}; } \
    inline __device__ name##2 make_##name##2(T x, T y) { return name##2{x, y}; } \
    inline __device__ name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; } \
    inline __device__ name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }
VECTORS(char, signed char, 2, 4)
VECTORS(uchar, unsigned char, 2, 4)

//: short1 short2 short3 short4 ushort1 ushort2 ushort3 ushort4 make_short1 make_short2 make_short3 make_short4 make_ushort1 make_ushort2 make_ushort3 make_ushort4
#define VECTORS(name, T, two, four) \
    struct name##1 { T x; }; \
    struct alignas(two) name##2 { T x, y; }; \
    struct name##3 { T x, y, z; }; \
    struct alignas(four) name##4 { T x, y, z, w; }; \
    inline __device__ name##1 make_##name##1(T x) { return name##1{x}; } \
    inline __device__ name##2 make_##name##2(T x, T y) { return name##2{x, y}; } \
    inline __device__ name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; } \
    inline __device__ name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }
VECTORS(short, short, 4, 8)
VECTORS(ushort, unsigned short, 4, 8)

//: int1 int2 int3 int4 make_int1 make_int2 make_int3 make_int4
struct int1 { int x; };
struct alignas(8) int2 { int x, y; };
struct int3 { int x, y, z; };
struct alignas(16) int4 { int x, y, z, w; };
inline __device__ int1 make_int1(int x) { return int1{x}; }
inline __device__ int2 make_int2(int x, int y) { return int2{x, y}; }
inline __device__ int3 make_int3(int x, int y, int z) { return int3{x, y, z}; }
inline __device__ int4 make_int4(int x, int y, int z, int w) { return int4{x, y, z, w}; }

//: uint1 uint2 uint4 make_uint1 make_uint2 make_uint4
struct uint1 { unsigned x; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
inline __device__ uint1 make_uint1(unsigned x) { return uint1{x}; }
inline __device__ uint2 make_uint2(unsigned x, unsigned y) { return uint2{x, y}; }
inline __device__ uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }

//: float1 float2 float3 float4 make_float1 make_float2 make_float3 make_float4
struct float1 { float x; };
struct alignas(8) float2 { float x, y; };
struct float3 { float x, y, z; };
struct alignas(16) float4 { float x, y, z, w; };
inline __device__ float1 make_float1(float x) { return float1{x}; }
inline __device__ float2 make_float2(float x, float y) { return float2{x, y}; }
inline __device__ float3 make_float3(float x, float y, float z) { return float3{x, y, z}; }
inline __device__ float4 make_float4(float x, float y, float z, float w) { return float4{x, y, z, w}; }

//: double1 double2 double3 double4 make_double1 make_double2 make_double3 make_double4
struct double1 { double x; };
struct alignas(16) double2 { double x, y; };
struct double3 { double x, y, z; };
struct alignas(16) double4 { double x, y, z, w; };
inline __device__ double1 make_double1(double x) { return double1{x}; }
inline __device__ double2 make_double2(double x, double y) { return double2{x, y}; }
inline __device__ double3 make_double3(double x, double y, double z) { return double3{x, y, z}; }
inline __device__ double4 make_double4(double x, double y, double z, double w) { return double4{x, y, z, w}; }

//: long1 long2 long3 long4 make_long1 make_long2 make_long3 make_long4 ulong1 ulong2 ulong3 ulong4 make_ulong1 make_ulong2 make_ulong3 make_ulong4 longlong1 longlong2 longlong3 longlong4 make_longlong1 make_longlong2 make_longlong3 make_longlong4 ulonglong1 ulonglong2 ulonglong3 ulonglong4 make_ulonglong1 make_ulonglong2 make_ulonglong3 make_ulonglong4
#define VECTORS(name, T, two, four) \
    struct name##1 { T x; }; \
    struct alignas(two) name##2 { T x, y; }; \
    struct name##3 { T x, y, z; }; \
    struct alignas(four) name##4 { T x, y, z, w; }; \
    inline __device__ name##1 make_##name##1(T x) { return name##1{x}; } \
    inline __device__ name##2 make_##name##2(T x, T y) { return name##2{x, y}; } \
    inline __device__ name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; } \
    inline __device__ name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }
VECTORS(long, long, 16, 16)
VECTORS(ulong, unsigned long, 16, 16)
VECTORS(longlong, long long, 16, 16)
VECTORS(ulonglong, unsigned long long, 16, 16)
