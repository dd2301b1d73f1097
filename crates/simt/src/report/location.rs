//! The location of the bytes that a finding is about, as data. The message of the finding says the same in words.

/// Bytes that a kernel accessed, or tried to access.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The memory that contains them.
    pub space: Space,
    /// The address of the first byte. In global and constant memory it is the address that a kernel sees; in the others
    /// it is counted from the start of the memory.
    pub address: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// The allocation that contains the bytes, or past whose end the address is. `None` if the address is near no
    /// allocation.
    pub allocation: Option<Allocation>,
}

impl Location {
    /// The distance of the first byte from the start of the allocation, in bytes. It is negative before the start.
    pub fn offset(&self) -> Option<i64> {
        let allocation = self.allocation.as_ref()?;
        Some(self.address.wrapping_sub(allocation.address) as i64)
    }

    /// The index of the element, if the allocation is an array of elements that have the size of the access. It is
    /// negative before the start.
    pub fn element(&self) -> Option<i64> {
        let bytes = i64::try_from(self.bytes).ok().filter(|&bytes| bytes != 0)?;
        Some(self.offset()?.div_euclid(bytes))
    }
}

/// An allocation: a buffer, or a variable of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allocation {
    /// Its name: that of the buffer or of the variable. A memory without named parts has its own name, such as `local
    /// memory`.
    pub name: String,
    /// The address of its first byte, which [`Buffer::address`](crate::Buffer::address) returns for a buffer.
    pub address: u64,
    /// The number of its bytes.
    pub bytes: u64,
}

/// A memory of the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Space {
    /// Global memory.
    Global,
    /// The shared memory of a block.
    Shared,
    /// The local memory of a thread.
    Local,
    /// Constant memory.
    Const,
    /// The parameters of the kernel.
    Param,
}

impl Space {
    /// Its name, as in `global memory`.
    pub fn name(self) -> &'static str {
        match self {
            Space::Global => "global memory",
            Space::Shared => "shared memory",
            Space::Local => "local memory",
            Space::Const => "constant memory",
            Space::Param => "the kernel's parameters",
        }
    }
}

/// What an access does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and writes atomically.
    Update,
    /// It is an operation on an mbarrier.
    Mbarrier,
}

impl AccessKind {
    /// What a thread did with such an access: `read`, `wrote`, `updated` or `used`.
    pub fn past(self) -> &'static str {
        match self {
            AccessKind::Read => "read",
            AccessKind::Write => "wrote",
            AccessKind::Update => "updated",
            AccessKind::Mbarrier => "used",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_from_the_start_of_the_allocation() {
        let element = |address, bytes| {
            let allocation = Allocation { name: "x".to_owned(), address: 1000, bytes: 16 };
            let location = Location { space: Space::Global, address, bytes, allocation: Some(allocation) };
            (location.offset(), location.element())
        };
        assert_eq!(element(1000, 4), (Some(0), Some(0)));
        assert_eq!(element(1016, 4), (Some(16), Some(4)));
        assert_eq!(element(1017, 4), (Some(17), Some(4)));
        assert_eq!(element(996, 4), (Some(-4), Some(-1)));
        assert_eq!(element(999, 8), (Some(-1), Some(-1)));
        assert_eq!(element(1000, 0), (Some(0), None));
        let nowhere = Location { space: Space::Global, address: 8, bytes: 4, allocation: None };
        assert_eq!((nowhere.offset(), nowhere.element()), (None, None));
    }
}
