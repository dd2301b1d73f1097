//! Special registers: where a thread is, and what surrounds it.
//!
//! Read by `mov`. What the emulator does not have (a multiprocessor, a clock) reads as documented below, and
//! the same in every run. Specification: PTX ISA, section 10.

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// `%tid`: the thread in its block.
    Tid(Axis),
    /// `%ntid`: threads in a block.
    Ntid(Axis),
    /// `%ctaid`: the block in the grid.
    Ctaid(Axis),
    /// `%nctaid`: blocks in the grid.
    Nctaid(Axis),
    /// `%laneid`
    LaneId,
    /// `%warpid`: the warp in its block.
    WarpId,
    /// `%nwarpid`: warps that a multiprocessor holds at most, here those of a block.
    NwarpId,
    /// `%lanemask_eq`, `_le`, `_lt`, `_ge`, `_gt`.
    LaneMask(LaneMask),
    /// `%smid`: the multiprocessor, here always 0.
    SmId,
    /// `%nsmid`: how many there are, here 1.
    NsmId,
    /// `%gridid`: a number for each launch, here always 0.
    GridId,
    /// `%clock`, `%clock64`, `%globaltimer`: here the warp instructions that the launch has issued so far.
    Clock,
    /// `%clock_hi`: the upper half of `%clock64`.
    ClockHigh,
    /// `%envreg0` to `%envreg31`: what a driver tells kernels, here nothing, so 0.
    Environment,
    /// `%dynamic_smem_size`, in bytes.
    DynamicShared,
    /// `%total_smem_size`, in bytes.
    TotalShared,
}

/// A dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The specification's own names.
pub enum Axis {
    X,
    Y,
    Z,
}

/// How a lane compares with one's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The specification's own names.
pub enum LaneMask {
    Eq,
    Le,
    Lt,
    Ge,
    Gt,
}

impl LaneMask {
    /// The lanes that compare so with `lane`.
    pub fn of(self, lane: u32) -> u32 {
        let own = 1u32 << lane;
        let below = own - 1;
        match self {
            LaneMask::Eq => own,
            LaneMask::Le => below | own,
            LaneMask::Lt => below,
            LaneMask::Ge => !below,
            LaneMask::Gt => !(below | own),
        }
    }
}

/// The special register of this name, `%tid.x` say.
pub fn parse(name: &str) -> Option<Special> {
    let axis = |make: fn(Axis) -> Special, axis| {
        Some(make(match axis {
            "x" => Axis::X,
            "y" => Axis::Y,
            "z" => Axis::Z,
            _ => return None,
        }))
    };
    if let Some((register, dimension)) = name.split_once('.') {
        return match register {
            "%tid" => axis(Special::Tid, dimension),
            "%ntid" => axis(Special::Ntid, dimension),
            "%ctaid" => axis(Special::Ctaid, dimension),
            "%nctaid" => axis(Special::Nctaid, dimension),
            _ => None,
        };
    }
    let environment = name.strip_prefix("%envreg").and_then(|number| number.parse::<u8>().ok());
    Some(match name {
        _ if environment.is_some_and(|number| number < 32) => Special::Environment,
        "%laneid" => Special::LaneId,
        "%warpid" => Special::WarpId,
        "%nwarpid" => Special::NwarpId,
        "%lanemask_eq" => Special::LaneMask(LaneMask::Eq),
        "%lanemask_le" => Special::LaneMask(LaneMask::Le),
        "%lanemask_lt" => Special::LaneMask(LaneMask::Lt),
        "%lanemask_ge" => Special::LaneMask(LaneMask::Ge),
        "%lanemask_gt" => Special::LaneMask(LaneMask::Gt),
        "%smid" => Special::SmId,
        "%nsmid" => Special::NsmId,
        "%gridid" => Special::GridId,
        "%clock" | "%clock64" | "%globaltimer" | "%globaltimer_lo" => Special::Clock,
        "%clock_hi" | "%globaltimer_hi" => Special::ClockHigh,
        "%dynamic_smem_size" => Special::DynamicShared,
        "%total_smem_size" => Special::TotalShared,
        _ => return None,
    })
}
