//! Two blocks of a cluster share a tile that both need. What do they have to wait for, now that each writes into the other's
//! shared memory?
//!
//! It leaves out what the shared tile saves: the emulator doesn't count what bulk copies read, so the pages take it from the
//! record of a GPU.

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::kernels::products_cluster::{
    PRODUCT_APART, PRODUCT_PAIR, PRODUCT_PAIR_NO_END, PRODUCT_PAIR_NO_START, PRODUCT_PAIR_OWN_ONLY,
};
use thirty_two_lanes::report::columns::{INSTRUCTIONS, LOAD_REQUESTS, SHARED_REQUESTS};

use crate::matrices::{Matrices, PRODUCTS_PER_LOAD, Version};

const PAIR: Version = Version {
    kernel: &PRODUCT_PAIR,
    tile: (32, 64),
    block: (64, 1),
    is_down: false,
    is_right: true,
    checked_n: 64,
};

const VERSIONS: [Version; 5] = [
    Version { kernel: &PRODUCT_APART, ..PAIR },
    PAIR,
    Version { kernel: &PRODUCT_PAIR_NO_START, is_right: false, ..PAIR },
    Version { kernel: &PRODUCT_PAIR_NO_END, is_right: false, ..PAIR },
    Version { kernel: &PRODUCT_PAIR_OWN_ONLY, is_right: false, ..PAIR },
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let matrices = Matrices::of(lab)?;
    let title = format!("two blocks that share a tile: what do they wait for? {}", matrices.named());
    lab.section("cluster", &title, &[LOAD_REQUESTS, SHARED_REQUESTS, INSTRUCTIONS, PRODUCTS_PER_LOAD]);
    matrices.section(lab, &VERSIONS)
}
