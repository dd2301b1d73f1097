//! Functions of modules: what is known of them, and launches.

use std::rc::Rc;

use cudac::host::{Kernel, Passing, Scalar};
use simt::Dim3;

use super::errors::code;
use super::held::Handle;
use super::state::{Driver, Values};
use crate::demangled::demangled;
use crate::device::LoadedKernel;
use crate::errors::NOT_PERMITTED;
use crate::function::Function;
use crate::machine::Result;
use crate::work::Wanted;

/// The numbers of the words in front of a parameter buffer, its size, and the end of such a list.
const BUFFER: u64 = 1;
const BUFFER_BYTES: u64 = 2;

/// Registers of a thread: not known, because nobody assigns them.
const REGISTERS: u64 = 32;

impl Driver<'_> {
    /// The handle of a kernel of a module.
    pub(super) fn function_named(&mut self, module: usize, name: &str) -> Option<u64> {
        let key = (module, name.to_owned());
        if let Some(number) = self.functions.known.get(&key) {
            return Some(Handle::Function.make(*number));
        }
        let info = self.machine.device.kernel_of(module, name)?;
        let kernel = Kernel {
            symbol: info.name.clone(),
            name: demangled(&info.name),
            parameters: info.params.iter().map(|parameter| Passing::Object(parameter.bytes)).collect(),
            shared_bytes: info.shared_bytes,
        };
        let number = self.machine.kernels.len();
        self.machine.kernels.push(Rc::new(LoadedKernel { module, kernel }));
        self.functions.known.insert(key, number);
        let function = Handle::Function.make(number);
        if let Some(native) = &mut self.machine.native {
            native.kernels.insert(function, number);
        }
        Some(function)
    }

    /// The number of a kernel whose module is still loaded.
    fn kernel(&mut self, function: u64) -> Result<Option<usize>> {
        let number = Handle::Function.number(function).filter(|number| {
            let known = self.machine.kernels.get(*number);
            known.is_some_and(|known| self.machine.device.is_loaded(known.module))
        });
        if number.is_none() {
            let message = format!("{function:#x} is no function, or one of a module that was unloaded");
            self.fail(code::INVALID_HANDLE, message)?;
        }
        Ok(number)
    }

    /// Functions of kernels, launches, and how many blocks fit.
    pub(super) fn of_function(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        let of = match name {
            "cuLaunchKernel" | "cuLaunchCooperativeKernel" => {
                return Some(self.launch_kernel(values, name == "cuLaunchCooperativeKernel"));
            }
            "cuLaunchKernelEx" => return Some(self.launch_described(values)),
            "cuFuncGetAttribute"
            | "cuKernelGetAttribute"
            | "cuOccupancyMaxPotentialBlockSize"
            | "cuOccupancyMaxPotentialBlockSizeWithFlags" => values.at(2),
            "cuOccupancyMaxActiveBlocksPerMultiprocessor"
            | "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"
            | "cuOccupancyAvailableDynamicSMemPerBlock"
            | "cuFuncGetModule"
            | "cuKernelGetFunction"
            | "cuFuncGetName"
            | "cuKernelGetName"
            | "cuFuncIsLoaded" => values.at(1),
            "cuFuncSetAttribute"
            | "cuFuncSetCacheConfig"
            | "cuFuncSetSharedMemConfig"
            | "cuFuncLoad"
            | "cuFuncGetParamInfo"
            | "cuKernelGetParamInfo"
            | "cuFuncGetParamCount"
            | "cuKernelGetParamCount"
            | "cuKernelSetAttribute" => values.at(if name == "cuKernelSetAttribute" { 2 } else { 0 }),
            _ => return None,
        };
        let kernel = match self.kernel(of) {
            Ok(Some(kernel)) => kernel,
            Ok(None) => return Some(Ok(code::INVALID_HANDLE)),
            Err(stop) => return Some(Err(stop)),
        };
        Some(self.of_known_function(name, values, kernel))
    }

    fn of_known_function(&mut self, name: &str, values: Values<'_>, kernel: usize) -> Result<u64> {
        let (a, b, c) = (values.at(0), values.at(1), values.at(2));
        match name {
            "cuFuncGetAttribute" | "cuKernelGetAttribute" => self.attribute(a, b, kernel),
            "cuFuncSetAttribute" => self.set_attribute(b, c, kernel),
            "cuKernelSetAttribute" => self.set_attribute(a, b, kernel),
            "cuKernelGetFunction" => self.give(a, Scalar::U64, b),
            "cuFuncGetModule" => {
                let module = self.machine.kernels[kernel].module;
                let handle = self.modules.handle(module);
                self.give(a, Scalar::U64, handle)
            }
            "cuFuncGetName" | "cuKernelGetName" => {
                let name = self.machine.kernels[kernel].kernel.symbol.clone();
                let at = self.machine.kept_text(&name)?;
                self.give(a, Scalar::U64, at)
            }
            "cuFuncIsLoaded" => self.give(a, Scalar::I32, 1),
            "cuFuncGetParamCount" | "cuKernelGetParamCount" => {
                let known = Rc::clone(&self.machine.kernels[kernel]);
                let info = self.machine.device.kernel_of(known.module, &known.kernel.symbol);
                let count = info.map_or(0, |info| info.params.len());
                self.give(b, Scalar::U64, count as u64)
            }
            "cuFuncGetParamInfo" | "cuKernelGetParamInfo" => self.parameter(kernel, b, [c, values.at(3)]),
            // What steers caches and banks changes nothing here.
            "cuFuncSetCacheConfig" | "cuFuncSetSharedMemConfig" | "cuFuncLoad" => Ok(0),
            "cuOccupancyMaxPotentialBlockSize" | "cuOccupancyMaxPotentialBlockSizeWithFlags" => {
                self.best_block(values, kernel)
            }
            "cuOccupancyAvailableDynamicSMemPerBlock" => self.left_shared(values, kernel),
            _ => {
                let declared = self.machine.kernels[kernel].kernel.shared_bytes;
                let blocks = self
                    .machine
                    .device
                    .room
                    .of_multiprocessor(c & 0xffff_ffff, declared.saturating_add(values.at(3)));
                self.give(a, Scalar::I32, blocks)
            }
        }
    }

    fn attribute(&mut self, to: u64, attribute: u64, kernel: usize) -> Result<u64> {
        let known = Rc::clone(&self.machine.kernels[kernel]);
        let allowed = self.machine.device.shared_allowed(kernel).saturating_sub(known.kernel.shared_bytes);
        let value = match attribute {
            0 => 1024,
            1 => known.kernel.shared_bytes,
            4 => REGISTERS,
            5 | 6 => u64::from(self.capability),
            8 => allowed,
            9 => u64::MAX,
            10 => u64::from(self.compiled_cluster(kernel).is_some()),
            CLUSTER_WIDTH..=CLUSTER_DEPTH => {
                u64::from(self.cluster(kernel)[(attribute - CLUSTER_WIDTH) as usize])
            }
            2 | 3 | 7 | 14 | 15 => 0,
            _ => return self.fail(code::INVALID_VALUE, format!("a function has no attribute {attribute}")),
        };
        self.give(to, Scalar::I32, value)
    }

    fn set_attribute(&mut self, attribute: u64, value: u64, kernel: usize) -> Result<u64> {
        match attribute {
            8 => {
                let handle = Handle::Function.make(kernel);
                self.machine.cuda(Function::SharedLimit, &[handle, value & 0xffff_ffff])
            }
            9 => Ok(0),
            CLUSTER_WIDTH..=CLUSTER_DEPTH if self.compiled_cluster(kernel).is_some() => {
                let message = "the kernel was compiled for clusters of a size, which cannot be changed";
                self.fail(NOT_PERMITTED, message)
            }
            CLUSTER_WIDTH..=CLUSTER_DEPTH => {
                let sizes = self.machine.device.clusters.entry(kernel).or_default();
                sizes[(attribute - CLUSTER_WIDTH) as usize] = value as u32;
                Ok(0)
            }
            _ => self
                .fail(code::INVALID_VALUE, format!("the attribute {attribute} of a function cannot be set")),
        }
    }

    /// Blocks in the clusters that a kernel was compiled for.
    fn compiled_cluster(&self, kernel: usize) -> Option<Dim3> {
        let known = &self.machine.kernels[kernel];
        self.machine.device.kernel_of(known.module, &known.kernel.symbol)?.cluster
    }

    /// Blocks in the clusters that a kernel demands, be it compiled for them or not; zero if it demands none.
    fn cluster(&self, kernel: usize) -> [u32; 3] {
        let asked = self.machine.device.clusters.get(&kernel).copied().unwrap_or_default();
        self.compiled_cluster(kernel).map_or(asked, |Dim3 { x, y, z }| [x, y, z])
    }

    fn parameter(&mut self, kernel: usize, nth: u64, [offset_to, bytes_to]: [u64; 2]) -> Result<u64> {
        let known = Rc::clone(&self.machine.kernels[kernel]);
        let info = self.machine.device.kernel_of(known.module, &known.kernel.symbol);
        let Some(found) = info.and_then(|info| info.params.get(nth as usize).cloned()) else {
            return self.fail(code::INVALID_VALUE, format!("the function has no parameter {nth}"));
        };
        self.offer(offset_to, Scalar::U64, found.offset)?;
        self.offer(bytes_to, Scalar::U64, found.bytes)
    }

    /// The block with which most threads are resident: where the grid and the block go, the function, a function for the shared
    /// memory, its bytes, the largest block.
    fn best_block(&mut self, values: Values<'_>, kernel: usize) -> Result<u64> {
        let shared = self.machine.kernels[kernel].kernel.shared_bytes.saturating_add(values.at(4));
        let limit = match values.at(5) & 0xffff_ffff {
            0 => 1024,
            limit => limit.min(1024),
        };
        let sizes = (1..=limit / 32).rev().map(|warps| 32 * warps).chain((limit < 32).then_some(limit));
        let room = self.machine.device.room;
        let threads = |block: u64| block * room.of_multiprocessor(block, shared);
        let best = sizes.max_by_key(|block| (threads(*block), *block)).unwrap_or(limit);
        self.give(values.at(0), Scalar::I32, room.of_device(best, shared))?;
        self.give(values.at(1), Scalar::I32, best)
    }

    /// The shared memory that is left for each of some blocks of a multiprocessor.
    fn left_shared(&mut self, values: Values<'_>, kernel: usize) -> Result<u64> {
        let declared = self.machine.kernels[kernel].kernel.shared_bytes;
        let blocks = values.at(2) & 0xffff_ffff;
        let each = self.machine.device.room.shared_bytes.checked_div(blocks).unwrap_or(0);
        self.give(values.at(0), Scalar::U64, each.saturating_sub(declared))
    }

    /// `cuLaunchKernel`: the function, the grid, the block, shared memory, the stream, the addresses of the arguments, or a list that
    /// says where they are in a row.
    fn launch_kernel(&mut self, values: Values<'_>, is_cooperative: bool) -> Result<u64> {
        let part = |nth: usize| values.at(nth) as u32;
        let grid = Dim3::new(part(1), part(2), part(3));
        let block = Dim3::new(part(4), part(5), part(6));
        let extra = if is_cooperative { 0 } else { values.at(10) };
        let (shared_bytes, stream, cluster) = (u64::from(part(7)), values.at(8), None);
        let how = How { grid, block, cluster, shared_bytes, stream, is_cooperative };
        self.launch(values.at(0), how, values.at(9), extra)
    }

    /// `cuLaunchKernelEx`: a structure, the function, and the arguments as above.
    fn launch_described(&mut self, values: Values<'_>) -> Result<u64> {
        if values.at(0) == 0 {
            return self.fail(code::INVALID_VALUE, "the launch is described at a null pointer");
        }
        let words = self.take_words(values.at(0), 7)?;
        let half = |nth: usize| (words[nth / 2] >> (32 * (nth % 2))) as u32;
        let count = words[6] & 0xffff_ffff;
        let (mut is_cooperative, mut cluster) = (false, None);
        for nth in 0..count.min(64) {
            let attribute = self.take_words(words[5].wrapping_add(ATTRIBUTE_BYTES * nth), 3)?;
            match attribute[0] & 0xffff_ffff {
                COOPERATIVE => is_cooperative = attribute[1] & 0xffff_ffff != 0,
                CLUSTER => {
                    let [x, y, z] = [attribute[1], attribute[1] >> 32, attribute[2]].map(|size| size as u32);
                    cluster = Some(Dim3::new(x, y, z));
                }
                // Priorities, and what steers caches.
                _ => {}
            }
        }
        let how = How {
            grid: Dim3::new(half(0), half(1), half(2)),
            block: Dim3::new(half(3), half(4), half(5)),
            cluster,
            shared_bytes: u64::from(half(6)),
            stream: words[4],
            is_cooperative,
        };
        self.launch(values.at(1), how, values.at(2), values.at(3))
    }

    fn launch(&mut self, function: u64, how: How, table: u64, extra: u64) -> Result<u64> {
        match self.wanted(function, how, [table, extra])? {
            Ok((kernel, wanted)) => {
                self.machine.start(kernel, &wanted)?;
                Ok(self.machine.returned_error())
            }
            Err(code) => Ok(code),
        }
    }

    /// The kernel of a launch, and what is wanted of it, with its arguments as they are now; or the error of the call. The arguments
    /// are in a table of addresses, or where a list says that they are in a row.
    pub(super) fn wanted(
        &mut self,
        function: u64,
        how: How,
        [table, extra]: [u64; 2],
    ) -> Result<std::result::Result<(usize, Wanted), u64>> {
        let Some(kernel) = self.kernel(function)? else { return Ok(Err(code::INVALID_HANDLE)) };
        let loaded = Rc::clone(&self.machine.kernels[kernel]);
        let parameters = self.machine.device.kernel_of(loaded.module, &loaded.kernel.symbol);
        let parameters = parameters.map(|info| info.params.clone()).unwrap_or_default();
        let buffer = if extra == 0 { None } else { self.buffer_of(extra)? };
        if buffer.is_none() && table == 0 && !parameters.is_empty() {
            let message = format!(
                "`{}` has {} parameters, and the launch gives none",
                loaded.kernel.name,
                parameters.len()
            );
            return self.fail(code::INVALID_VALUE, message).map(Err);
        }
        let (mut args, mut addresses) = (Vec::new(), Vec::new());
        for (nth, parameter) in parameters.iter().enumerate() {
            let from = match buffer {
                Some((_, size)) if parameter.offset + parameter.bytes > size => {
                    let name = &loaded.kernel.name;
                    let message = format!(
                        "the parameters of `{name}` end after the {size} bytes that the launch gives"
                    );
                    return self.fail(code::INVALID_VALUE, message).map(Err);
                }
                Some((at, _)) => at.wrapping_add(parameter.offset),
                None => self.take_words(table.wrapping_add(8 * nth as u64), 1)?[0],
            };
            let bytes = self.take(from, parameter.bytes)?;
            args.push(self.machine.argument(bytes, &mut addresses));
        }
        let How { grid, block, cluster, shared_bytes, stream, is_cooperative } = how;
        let asked = self.machine.device.clusters.get(&kernel).filter(|sizes| **sizes != [0; 3]);
        let cluster = cluster.or(asked.map(|&[x, y, z]| Dim3::new(x, y, z)));
        let wanted = Wanted { grid, block, cluster, shared_bytes, stream, args, addresses, is_cooperative };
        Ok(Ok((kernel, wanted)))
    }

    /// Where a list says that the arguments are in a row, and how many bytes they have.
    fn buffer_of(&mut self, list: u64) -> Result<Option<(u64, u64)>> {
        let (mut at, mut size) = (0, 0);
        for nth in 0..4 {
            let pair = self.take_words(list.wrapping_add(16 * nth), 1)?[0];
            let second = list.wrapping_add(16 * nth + 8);
            match pair {
                BUFFER => at = self.take_words(second, 1)?[0],
                BUFFER_BYTES => {
                    let place = self.take_words(second, 1)?[0];
                    size = self.take_words(place, 1)?[0];
                }
                _ => break,
            }
        }
        Ok((at != 0).then_some((at, size)))
    }
}

/// The attributes of a function which say what clusters it demands.
const CLUSTER_WIDTH: u64 = 11;
const CLUSTER_DEPTH: u64 = 13;

/// The bytes of an attribute of a launch, and the numbers of two.
const ATTRIBUTE_BYTES: u64 = 72;
const COOPERATIVE: u64 = 2;
const CLUSTER: u64 = 4;

/// The shape of a launch, and where it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    pub grid: Dim3,
    pub block: Dim3,
    pub cluster: Option<Dim3>,
    pub shared_bytes: u64,
    pub stream: u64,
    pub is_cooperative: bool,
}
