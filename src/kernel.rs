//! Stub.
#![allow(missing_docs)]
use crate::launch::Code;
pub struct Kernel { pub name: &'static str, pub file: &'static str, pub builds: &'static [(&'static str, &'static str)] }
impl Kernel {
    pub fn code(&self, build: &str) -> Code {
        let ptx = self.builds.iter().find(|b| b.0 == build).expect("build").1;
        Code { name: format!("{}.{build}", self.file), ptx: ptx.into() }
    }
}
pub mod kernels {
    macro_rules! file { ($file:ident: $($c:ident $k:literal),*) => { pub mod $file { $(pub const $c: crate::kernel::Kernel = crate::kernel::Kernel { name: $k, file: stringify!($file), builds: &[
        ("sm_70", include_str!(concat!("../kernels/ptx/", stringify!($file), ".sm_70.ptx"))),
        ("sm_70-debug", include_str!(concat!("../kernels/ptx/", stringify!($file), ".sm_70-debug.ptx"))),
    ] };)* } } }
    file!(divergence: MATH_EVEN_THREAD "math_even_thread", MATH_EVEN_WARP "math_even_warp", MATH_TWO_IFS "math_two_ifs", MATH_PRECEDENCE "math_precedence", MATH_PRECEDENCE_MENDED "math_precedence_mended", MATH_UNGUARDED "math_unguarded");
    file!(branch: BRANCH_SQRT "branch_sqrt", GUARDED_LOAD "guarded_load", SELECT_MERGE "select_merge", UNIFORM_CONDITION "uniform_condition", EXPENSIVE_ONE_LANE "expensive_one_lane", EXPENSIVE_PACKED "expensive_packed", WORST_CASE_SWITCH "worst_case_switch", WORST_CASE_TOGETHER "worst_case_together");
    file!(boundary: ADD_GUARDED "add_guarded", BRIGHTEN_GUARDED "brighten_guarded");
    file!(predication: BODY_1 "body_1", BODY_2 "body_2", BODY_4 "body_4", BODY_8 "body_8", BODY_16 "body_16", BODY_32 "body_32", MERGE_1 "merge_1", MERGE_2 "merge_2", MERGE_4 "merge_4", MERGE_8 "merge_8", MERGE_16 "merge_16", MERGE_32 "merge_32");
    file!(sorting: PROCESS_MIXED "process_mixed", BUILD_LISTS "build_lists", PROCESS_SIMPLE "process_simple", PROCESS_EXPENSIVE "process_expensive");
}
