//! One warp orders bulk copies, the others multiply, and two barriers for each stage are all that they have in common. What
//! happens if one of them breaks its promise?

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::kernels::products_bulk::{
    PRODUCT_SUPPLIED, PRODUCT_SUPPLIED_NO_EMPTY, PRODUCT_SUPPLIED_NO_FENCE, PRODUCT_SUPPLIED_NO_FULL,
    PRODUCT_SUPPLIED_TOO_FEW, PRODUCT_SUPPLIED_TOO_MANY,
};
use thirty_two_lanes::report::columns::{LOAD_REQUESTS, LOAD_SECTORS, SHARED_REQUESTS};

use crate::matrices::{Matrices, PRODUCTS_PER_LOAD, Version};

const SUPPLIED: Version = Version {
    kernel: &PRODUCT_SUPPLIED,
    tile: (64, 64),
    block: (96, 1),
    is_down: false,
    is_right: true,
    checked_n: 64,
};

const VERSIONS: [Version; 6] = [
    SUPPLIED,
    Version { kernel: &PRODUCT_SUPPLIED_TOO_FEW, is_right: false, ..SUPPLIED },
    Version { kernel: &PRODUCT_SUPPLIED_TOO_MANY, is_right: false, ..SUPPLIED },
    Version { kernel: &PRODUCT_SUPPLIED_NO_FULL, is_right: false, ..SUPPLIED },
    Version { kernel: &PRODUCT_SUPPLIED_NO_EMPTY, is_right: false, ..SUPPLIED },
    Version { kernel: &PRODUCT_SUPPLIED_NO_FENCE, is_right: false, ..SUPPLIED },
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let matrices = Matrices::of(lab)?;
    let title = format!("a warp that supplies the others: what do they promise? {}", matrices.named());
    lab.section("supplied", &title, &[LOAD_REQUESTS, LOAD_SECTORS, SHARED_REQUESTS, PRODUCTS_PER_LOAD]);
    matrices.section(lab, &VERSIONS)
}
