//! The errors of the CUDA runtime.
//!
//! Specification: CUDA Runtime API, `cudaError`.

pub(crate) const INVALID_VALUE: u64 = 1;
pub(crate) const OUT_OF_MEMORY: u64 = 2;
/// What the documentation names for a launch of an impossible shape. On an H200, CUDA 13.0 returns `cudaErrorInvalidValue` for each.
pub(crate) const INVALID_CONFIGURATION: u64 = 9;
pub(crate) const INVALID_PITCH: u64 = 12;
pub(crate) const INVALID_DIRECTION: u64 = 21;
pub(crate) const INVALID_DEVICE: u64 = 101;
pub(crate) const INVALID_HANDLE: u64 = 400;
pub(crate) const NOT_READY: u64 = 600;
pub(crate) const ALREADY_REGISTERED: u64 = 712;
pub(crate) const NOT_REGISTERED: u64 = 713;
pub(crate) const TOO_LARGE: u64 = 720;
pub(crate) const NOT_PERMITTED: u64 = 800;
pub(crate) const NOT_SUPPORTED: u64 = 801;
pub(crate) const CAPTURE_UNSUPPORTED: u64 = 900;
pub(crate) const CAPTURE_INVALIDATED: u64 = 901;
pub(crate) const CAPTURE_IMPLICIT: u64 = 906;
pub(crate) const CAPTURED_EVENT: u64 = 907;
pub(crate) const INVALID_CLUSTER_SIZE: u64 = 912;

/// What is wrong with a handle of a stream.
pub(crate) const NO_STREAM: &str = "there is no such stream: it was never created, or destroyed";

/// The errors by number: name, and what `cudaGetErrorString` returns.
const ERRORS: &[(u64, &str, &str)] = &[
    (0, "cudaSuccess", "no error"),
    (1, "cudaErrorInvalidValue", "invalid argument"),
    (2, "cudaErrorMemoryAllocation", "out of memory"),
    (9, "cudaErrorInvalidConfiguration", "invalid configuration argument"),
    (12, "cudaErrorInvalidPitchValue", "invalid pitch argument"),
    (13, "cudaErrorInvalidSymbol", "invalid device symbol"),
    (21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"),
    (101, "cudaErrorInvalidDevice", "invalid device ordinal"),
    (400, "cudaErrorInvalidResourceHandle", "invalid resource handle"),
    (600, "cudaErrorNotReady", "device not ready"),
    (700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"),
    (701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"),
    (704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"),
    (710, "cudaErrorAssert", "device-side assert triggered"),
    (
        712,
        "cudaErrorHostMemoryAlreadyRegistered",
        "part or all of the requested memory range is already mapped",
    ),
    (713, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"),
    (719, "cudaErrorLaunchFailure", "unspecified launch failure"),
    (720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"),
    (800, "cudaErrorNotPermitted", "operation not permitted"),
    (801, "cudaErrorNotSupported", "operation not supported"),
    (900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"),
    (901, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"),
    (
        906,
        "cudaErrorStreamCaptureImplicit",
        "operation would make the legacy stream depend on a capturing blocking stream",
    ),
    (
        907,
        "cudaErrorCapturedEvent",
        "operation not permitted on an event last recorded in a capturing stream",
    ),
    (
        912,
        "cudaErrorInvalidClusterSize",
        "a kernel launch error has occurred due to cluster misconfiguration",
    ),
    (999, "cudaErrorUnknown", "unknown error"),
];

/// The name of an error, and what `cudaGetErrorString` returns.
pub(crate) fn named(code: u64) -> [&'static str; 2] {
    let known = ERRORS.iter().find(|(known, ..)| *known == code);
    known.map_or(["unrecognized error code"; 2], |(_, name, text)| [*name, *text])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_numbers_names_and_texts() {
        assert!(ERRORS.is_sorted_by_key(|(code, ..)| *code));
        for (code, name, text) in ERRORS {
            assert!(name.starts_with("cuda") && !text.is_empty(), "{code}");
        }
        assert_eq!(named(0), ["cudaSuccess", "no error"]);
    }
}
