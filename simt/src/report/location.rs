//! Which bytes a finding is about, as numbers; its message says the same in words.

/// Bytes that a kernel accessed, or tried to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The memory.
    pub space: Space,
    /// The address of the first byte: in global and constant memory the address that a kernel sees, in the others counted
    /// from the start of the memory.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What the bytes belong to, or which allocation the address has run out of. `None` for an address that is near none.
    pub allocation: Option<Allocation>,
}

impl Location {
    /// How far the first byte is from the start of the allocation, in bytes; negative before it.
    pub fn offset(&self) -> Option<i64> {
        let allocation = self.allocation.as_ref()?;
        Some(self.address.wrapping_sub(allocation.address) as i64)
    }

    /// The number of the element, if the allocation is an array of elements that are as long as the access; negative
    /// before its start.
    pub fn element(&self) -> Option<i64> {
        let bytes = i64::try_from(self.bytes).ok().filter(|&bytes| bytes != 0)?;
        Some(self.offset()?.div_euclid(bytes))
    }
}

/// An allocation: a buffer, or a variable of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allocation {
    /// What it is called: the name of the buffer or of the variable. A memory that has no named parts has its own name, such
    /// as `local memory`.
    pub name: String,
    /// The address of its first byte, which [`Buffer::address`](crate::Buffer::address) returns for a buffer.
    pub address: u64,
    /// How many bytes it has.
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
    /// It loads.
    Read,
    /// It stores.
    Write,
    /// It does both at once: an atomic operation.
    Update,
    /// It is an operation on an mbarrier.
    Mbarrier,
}

impl AccessKind {
    /// What a thread did that made such an access: `read`, `wrote`, `updated` or `used`.
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
