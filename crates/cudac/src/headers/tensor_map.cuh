// Tensor maps, which the driver makes of the shape of a tensor so that kernels can copy boxes of it.
// Written from: CUDA Driver API, section 6.30 and the data types of the driver.

//: CUtensorMap CUtensorMap_st
struct alignas(64) CUtensorMap_st { unsigned long long opaque[16]; };
typedef CUtensorMap_st CUtensorMap;
