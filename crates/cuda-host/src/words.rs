//! The words of messages: the functions of the runtime in those of the driver.

/// What the runtime calls its functions, and what the driver does.
const NAMES: &[(&str, &str)] = &[
    ("cudaMallocHost", "cuMemAllocHost"),
    ("cudaMalloc", "cuMemAlloc"),
    ("cudaFreeHost", "cuMemFreeHost"),
    ("cudaFreeAsync", "cuMemFreeAsync"),
    ("cudaFree", "cuMemFree"),
    ("cudaMemset", "cuMemsetD8"),
    ("cudaMemcpy", "cuMemcpy"),
    ("cudaEventElapsedTime", "cuEventElapsedTime"),
    ("cudaEventSynchronize", "cuEventSynchronize"),
    ("cudaHostRegister", "cuMemHostRegister"),
    ("cudaStreamSynchronize", "cuStreamSynchronize"),
    ("cudaDeviceSynchronize", "cuCtxSynchronize"),
    ("cudaGetLastError()", "the result of the launch"),
    ("cudaLaunchCooperativeKernel", "cuLaunchCooperativeKernel"),
];

/// A message with the driver's functions in place of the runtime's.
pub(crate) fn of_driver(message: &str) -> String {
    NAMES.iter().fold(message.to_owned(), |message, (runtime, driver)| message.replace(runtime, driver))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_functions_of_the_driver() {
        assert_eq!(of_driver("`cudaFreeHost` and `cudaMalloc`"), "`cuMemFreeHost` and `cuMemAlloc`");
    }
}
