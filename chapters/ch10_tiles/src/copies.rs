//! Copies that need no register, `cp.async`, into a ring of three stages. What happens without one of its waits?

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::kernels::products_async::{
    PRODUCT_AHEAD, PRODUCT_ASYNC, PRODUCT_ASYNC_LATE_WAIT, PRODUCT_ASYNC_NO_BARRIER, PRODUCT_ASYNC_NO_COMMIT,
    PRODUCT_ASYNC_NO_WAIT, PRODUCT_ASYNC_TOO_EARLY,
};
use thirty_two_lanes::report::columns::{BARRIERS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS, SHARED_REQUESTS};

use crate::matrices::{Matrices, PRODUCTS_PER_LOAD, Version};

const COPIES: Version = Version {
    kernel: &PRODUCT_ASYNC,
    tile: (128, 128),
    block: (128, 1),
    is_down: false,
    is_right: true,
    checked_n: 128,
};

const VERSIONS: [Version; 7] = [
    COPIES,
    Version { kernel: &PRODUCT_AHEAD, ..COPIES },
    Version { kernel: &PRODUCT_ASYNC_NO_WAIT, is_right: false, ..COPIES },
    Version { kernel: &PRODUCT_ASYNC_LATE_WAIT, is_right: false, ..COPIES },
    Version { kernel: &PRODUCT_ASYNC_NO_COMMIT, is_right: false, ..COPIES },
    Version { kernel: &PRODUCT_ASYNC_NO_BARRIER, is_right: false, ..COPIES },
    Version { kernel: &PRODUCT_ASYNC_TOO_EARLY, is_right: false, ..COPIES },
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let matrices = Matrices::of(lab)?;
    let title = format!("copies without registers: what has to be waited for? {}", matrices.named());
    let columns = [LOAD_REQUESTS, LOAD_SECTORS, SHARED_REQUESTS, BARRIERS_PER_WARP, PRODUCTS_PER_LOAD];
    lab.section("copies", &title, &columns);
    matrices.section(lab, &VERSIONS)
}
