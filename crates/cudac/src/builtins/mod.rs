//! What a kernel may use without declaring it, in texts of our own.
//!
//! NVRTC and nvcc read NVIDIA's headers, which this crate may neither contain nor expect on a machine. The texts in
//! `headers/` declare the same names in the same language that the compiler reads anyway, so a function of CUDA is a
//! few lines of C++ with inline PTX and not a case in `check` or `lower`. What cannot be written in that language (the
//! built-in variables, `printf`) is in `check`.

pub(crate) mod headers;
#[cfg(feature = "host")]
pub(crate) mod host;
mod plain;
