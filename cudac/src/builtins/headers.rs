//! Headers, and the functions and types that need no header, as texts of this crate.

/// The text of a header that is included.
pub(crate) fn find(_path: &str) -> Option<(&'static str, &'static str)> {
    None
}

/// The headers that can be included.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    [].into_iter()
}

/// The text that declares one of our own names.
pub(crate) fn own(_name: &str) -> Option<(&'static str, &'static str)> {
    None
}

/// All names that need no header.
pub(crate) fn own_names() -> impl Iterator<Item = &'static str> {
    [].into_iter()
}

/// The header that declares a name.
pub(crate) fn header_of(_name: &str) -> Option<&'static str> {
    None
}

/// What to use instead of a function of the host.
pub(crate) fn host_function(_name: &str) -> Option<&'static str> {
    None
}
