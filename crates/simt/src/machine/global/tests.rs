//! Allocations, accesses at the ends of regions, and the limit.

use super::*;

#[test]
fn what_a_machine_of_32_bits_cannot_count_is_refused() {
    let largest = i32::MAX as u64;
    assert_eq!(host_bytes(largest, largest), Some(largest as usize));
    assert_eq!(host_bytes(3 << 30, largest), None);
    assert_eq!(host_bytes(5 << 30, largest), None);
}

#[test]
fn more_than_there_is_is_refused_and_takes_nothing() {
    let mut memory = Global::new(u64::MAX);
    for bytes in [REGION_START, u64::MAX, i64::MAX as u64 + 1] {
        assert!(memory.alloc("all", bytes).is_err());
    }
    assert!(memory.alloc("some", 16).is_ok());
}

#[test]
fn an_access_is_inside_or_says_how_far_out_it_is() {
    let mut memory = Global::new(1 << 20);
    let x = memory.alloc("x", 16).unwrap();
    let at = |offset: i64| x.address().wrapping_add_signed(offset);
    assert_eq!(memory.locate(at(12), 4), Ok((0, 12)));
    assert_eq!(memory.locate(at(13), 4), Err(Miss::Outside { region: 0, offset: 13 }));
    assert_eq!(memory.locate(at(-4), 4), Err(Miss::Outside { region: 0, offset: -4 }));
    assert_eq!(memory.locate(8, 4), Err(Miss::Null));
    assert_eq!(memory.locate(at(1 << 45), 4), Err(Miss::Wild));
    memory.free(x);
    assert_eq!(memory.locate(at(0), 4), Err(Miss::Freed { region: 0 }));
}

#[test]
fn memory_ends_at_its_limit_and_comes_back() {
    let mut memory = Global::new(100);
    let x = memory.alloc("x", 60).unwrap();
    let refused = MemoryError::OutOfMemory { name: "y".to_owned(), wanted: 60, left: 40 };
    assert_eq!(memory.alloc("y", 60), Err(refused));
    memory.free(x);
    assert!(memory.alloc("y", 100).is_ok());
}

#[test]
fn a_freed_region_waits_before_it_is_used_again() {
    let mut memory = Global::new(1 << 20);
    let first = memory.alloc("first", 8).unwrap();
    memory.free(first);
    for _ in 0..QUARANTINE {
        let other = memory.alloc("other", 8).unwrap();
        assert!(other.address() != first.address());
        assert_eq!(memory.locate(first.address(), 4), Err(Miss::Freed { region: 0 }));
        memory.free(other);
    }
    let next = memory.alloc("next", 8).unwrap();
    assert_eq!(next.address(), first.address());
    assert!(memory.check(next).is_ok() && memory.check(first).is_err());
}

#[test]
fn a_million_allocations_leave_few_regions_behind() {
    let mut memory = Global::new(1 << 20);
    for _ in 0..1_000_000 {
        let buffer = memory.alloc_uninitialized("x", 1).unwrap();
        memory.free(buffer);
    }
    assert!(memory.regions() <= QUARANTINE + 1 && memory.live_bytes() == 0 && !memory.has_unwritten());
}

#[test]
fn the_number_of_regions_is_bounded_and_freed_ones_are_used_at_the_bound() {
    let mut memory = Global::new(1 << 20);
    let all: Vec<Buffer> = (0..MOST_REGIONS).map(|_| memory.alloc("x", 1).unwrap()).collect();
    let refused = MemoryError::TooManyAllocations { name: "y".to_owned(), most: MOST_REGIONS };
    assert_eq!(memory.alloc("y", 1), Err(refused));
    memory.free(all[7]);
    assert_eq!(memory.alloc("y", 1).map(Buffer::address), Ok(all[7].address()));
}

#[test]
fn reserved_addresses_are_those_of_a_process() {
    let mut memory = Global::new(1 << 20);
    memory.reserve();
    let ordinary = memory.alloc("x", 8).unwrap();
    assert!(ordinary.address() >= 1 << 48);
    let mapped: Vec<Buffer> = (0..64).map(|_| memory.alloc_mapped("y", 8).unwrap()).collect();
    assert!(mapped.iter().all(|buffer| (16..80).contains(&(buffer.address() >> 40))));
    assert!(memory.alloc_mapped("z", 8).is_err());
    memory.free(mapped[5]);
    assert_eq!(memory.locate(mapped[5].address(), 4), Err(Miss::Freed { region: 5 }));
    assert_eq!(memory.alloc_mapped("z", 8).unwrap().address(), mapped[5].address());
    // What a process has, and no kernel may use.
    assert_eq!(memory.locate(0x7fff_1234_5678, 4), Err(Miss::Wild));
    assert_eq!(memory.alloc("w", 8).unwrap().address() >> 40, (ordinary.address() >> 40) + 1);
    assert!(Global::new(1 << 20).alloc_mapped("z", 8).is_err());
}
