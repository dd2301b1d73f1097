//! The message for a file that cannot be read or written.

use std::path::Path;

/// Why a file cannot be read or written, and what to do.
pub fn why(file: &Path, error: &std::io::Error) -> String {
    if file.is_dir() {
        return "it is a directory; name a file in it".to_owned();
    }
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file; check its name".to_owned(),
        std::io::ErrorKind::PermissionDenied => "access is denied; check its permissions".to_owned(),
        _ => error.to_string(),
    }
}
