//! A request becomes something that can run: the program is compiled and loaded, and every name is looked up. All that can be
//! refused without running is refused here, because a run may take long.

pub mod expect;
pub mod headers;
pub mod host;
pub mod inputs;
pub mod kernels;
pub mod loaded;
#[cfg_attr(not(unix), path = "absent.rs")]
pub mod native;
pub mod outputs;
pub mod plan;
pub mod scenario;
pub mod sequence;
pub mod signature;
pub mod source;

pub use loaded::Loaded;
pub use outputs::Named;
pub use plan::Plan;
pub use scenario::{Test, Tested};
pub use sequence::{Sequence, Step, Wanted};
pub use signature::Signatures;
