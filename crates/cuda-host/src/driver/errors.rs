//! The errors of the driver.
//!
//! Specification: CUDA Driver API, `CUresult`.

/// Their numbers.
pub(super) mod code {
    pub const SUCCESS: u64 = 0;
    pub const INVALID_VALUE: u64 = 1;
    pub const OUT_OF_MEMORY: u64 = 2;
    pub const NOT_INITIALIZED: u64 = 3;
    pub const INVALID_DEVICE: u64 = 101;
    pub const INVALID_IMAGE: u64 = 200;
    pub const INVALID_CONTEXT: u64 = 201;
    pub const NO_BINARY_FOR_GPU: u64 = 209;
    pub const INVALID_PTX: u64 = 218;
    pub const INVALID_HANDLE: u64 = 400;
    pub const NOT_FOUND: u64 = 500;
    pub const NOT_READY: u64 = 600;
    pub const ILLEGAL_ADDRESS: u64 = 700;
    pub const LAUNCH_TIMEOUT: u64 = 702;
    pub const ILLEGAL_INSTRUCTION: u64 = 715;
    pub const MISALIGNED_ADDRESS: u64 = 716;
    pub const LAUNCH_FAILED: u64 = 719;
    pub const NOT_SUPPORTED: u64 = 801;
}

/// By number: name, and what `cuGetErrorString` returns.
const ERRORS: &[(u64, &str, &str)] = &[
    (0, "CUDA_SUCCESS", "no error"),
    (1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"),
    (2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"),
    (3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"),
    (4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"),
    (34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"),
    (46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"),
    (100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"),
    (101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"),
    (200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"),
    (201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"),
    (205, "CUDA_ERROR_MAP_FAILED", "mapping of buffer object failed"),
    (206, "CUDA_ERROR_UNMAP_FAILED", "unmapping of buffer object failed"),
    (209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"),
    (217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices"),
    (218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"),
    (221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found"),
    (
        222,
        "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
        "the provided PTX was compiled with an unsupported toolchain.",
    ),
    (300, "CUDA_ERROR_INVALID_SOURCE", "device kernel image is invalid"),
    (302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "shared object symbol not found"),
    (400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"),
    (401, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"),
    (500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"),
    (600, "CUDA_ERROR_NOT_READY", "device not ready"),
    (700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"),
    (701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"),
    (702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"),
    (704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"),
    (705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"),
    (709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"),
    (710, "CUDA_ERROR_ASSERT", "device-side assert triggered"),
    (
        712,
        "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
        "part or all of the requested memory range is already mapped",
    ),
    (
        713,
        "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
        "pointer does not correspond to a registered memory region",
    ),
    (715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"),
    (716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"),
    (717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space"),
    (718, "CUDA_ERROR_INVALID_PC", "invalid program counter"),
    (719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"),
    (720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"),
    (800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"),
    (801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"),
    (900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"),
    (901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"),
    (
        906,
        "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
        "operation would make the legacy stream depend on a capturing blocking stream",
    ),
    (
        907,
        "CUDA_ERROR_CAPTURED_EVENT",
        "operation not permitted on an event last recorded in a capturing stream",
    ),
    (
        912,
        "CUDA_ERROR_INVALID_CLUSTER_SIZE",
        "a kernel launch error has occurred due to cluster misconfiguration",
    ),
    (999, "CUDA_ERROR_UNKNOWN", "unknown error"),
];

/// The name of an error and what it means; nothing if there is no such error.
pub(super) fn find(code: u64) -> Option<[&'static str; 2]> {
    ERRORS.iter().find(|(known, ..)| *known == code).map(|(_, name, text)| [*name, *text])
}

/// The same for a message.
pub(super) fn named(code: u64) -> [&'static str; 2] {
    find(code).unwrap_or(["an error", "unknown error"])
}

/// The driver's error for one of the runtime, which has some more.
pub(super) fn of_runtime(code: u64) -> u64 {
    match code {
        // An impossible shape of a launch, and a wrong direction of a copy.
        9 | 21 => code::INVALID_VALUE,
        13 => code::NOT_FOUND,
        other => other,
    }
}

/// Whether a function can be called before `cuInit`, and after a launch was stopped.
pub(super) fn is_always_allowed(name: &str) -> bool {
    matches!(
        name,
        "cuInit" | "cuDriverGetVersion" | "cuGetErrorName" | "cuGetErrorString" | "cuGetExportTable"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_numbers_names_and_texts() {
        assert!(ERRORS.is_sorted_by_key(|(code, ..)| *code));
        assert!(ERRORS.iter().all(|(_, name, text)| name.starts_with("CUDA_") && !text.is_empty()));
        assert_eq!(named(of_runtime(9))[0], "CUDA_ERROR_INVALID_VALUE");
    }

    /// Every error that the runtime's functions return has a name here.
    #[test]
    fn errors_of_the_runtime_are_known() {
        for code in [
            1, 2, 9, 13, 21, 101, 400, 600, 700, 701, 704, 710, 712, 713, 719, 720, 800, 801, 900, 901, 906,
            907,
        ] {
            assert!(find(of_runtime(code)).is_some(), "{code}");
        }
    }
}
