//! Which register of the PTX holds a variable of the source, for those who show a kernel while it runs.

/// A register that holds a variable of the text, where it does.
///
/// ```
/// let text = r#"extern "C" __global__ void sum(const int* x, int* y, int n) {
///     int total = 0;
///     for (int k = 0; k < n; k++) total += x[k];
///     y[threadIdx.x] = total;
/// }"#;
/// let output = cudac::compile(&cudac::Source { name: "sum.cu", text }, &cudac::Options::default()).unwrap();
/// // What the store stores is `total`.
/// let (line, store) = output.ptx.lines().enumerate().find(|(_, text)| text.contains("st.global")).unwrap();
/// let name = output.names.iter().find(|name| name.variable == "total").unwrap();
/// assert!(store.contains(&name.register));
/// assert!(name.holds_at(line as u32 + 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The kernel whose register it is.
    pub kernel: String,
    /// The register in the PTX, such as `%r5`.
    pub register: String,
    /// The variable; a part of an object has its offset in bytes after a `+`.
    pub variable: String,
    /// The line of the declaration.
    pub first_line: u32,
    /// The last line of the function that declares it.
    pub last_line: u32,
    /// The lines of the PTX, from 1, before whose instructions the register holds the variable.
    ///
    /// It does where an instruction still reads it. So a variable is in no register before its first value and after its
    /// last use, and never if it is in local memory or became a constant. If the value is computed in the variable's own
    /// register, it is there from then on, which may be a few instructions before the assignment. In order, without
    /// overlaps.
    pub ptx_lines: Vec<std::ops::Range<u32>>,
}

impl Name {
    /// Whether the register holds the variable before the instruction on a line of the PTX, from 1.
    pub fn holds_at(&self, ptx_line: u32) -> bool {
        let next = self.ptx_lines.partition_point(|range| range.end <= ptx_line);
        self.ptx_lines.get(next).is_some_and(|range| range.contains(&ptx_line))
    }
}
