//! A real GPU as a machine, through the CUDA driver.
//!
//! The driver is opened at run time, so that the same program also runs on a machine without one. Kernels are loaded
//! from the PTX text that the emulator reads, and the driver compiles it for the GPU. This is the only file of the
//! crate with unsafe code: calls into the driver that no type can make safe. What the driver trusts its caller about is
//! checked before, for every caller: that a text is PTX, that machine code is whole, and that the arguments are those of
//! the kernel. What it leaves out: more than one GPU, and streams.
#![allow(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, c_void};
use std::mem::transmute;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT;
use cudarc::driver::sys::CUfunction_attribute::{
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr, DriverError, LaunchConfig,
    PushKernelArg, result, sys,
};
use cudarc::nvrtc::Ptx;
use simt::{Dim3, TensorMap, TensorMapRequest};
use spec::{Place, Structure};

use crate::arguments::{Given, Kernels};
use crate::buffer::BufferId;
use crate::cubin::Cubin;
use crate::launch::{Argument, Code, Launch};
use crate::machine::{About, Machine, Run, Timing};
use crate::sim::host_memory_bytes;
use crate::target;

/// A GPU, and the buffers in its memory.
pub struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    buffers: Vec<CudaSlice<u8>>,
    modules: BTreeMap<String, Loaded>,
    about: About,
    /// The compute capability, 90 for 9.0.
    capability: u32,
    timed_runs: u32,
    /// The names of modules whose variables a kernel has changed.
    once_only: BTreeSet<String>,
}

/// Enough for a median that does not depend on one slow run.
const TIMED_RUNS: u32 = 11;

/// What the driver of `lanes exec` calls its device. It executes on the emulator, so its times would be no measurements.
const EMULATED: &str = "Thirty-Two Lanes";

/// A module, loaded twice. The second copy has its own variables, so that timed runs do not change those of the first.
#[derive(Clone)]
struct Loaded {
    kernels: Arc<Kernels>,
    module: Arc<CudaModule>,
    stopwatch: Arc<CudaModule>,
}

/// An argument in the driver's terms.
enum Pushed<'a> {
    Buffer(&'a CudaSlice<u8>),
    /// The bytes of a value, little-endian, with zeros behind them. The driver reads as many as the parameter has.
    Value(Box<[u8; LONGEST_BLOCK]>),
}

impl Pushed<'_> {
    fn value(bytes: &[u8]) -> Result<Self> {
        let mut padded = bytes.to_vec();
        padded.resize(LONGEST_BLOCK.max(bytes.len()), 0);
        padded.into_boxed_slice().try_into().map(Pushed::Value).map_err(|_| anyhow!("{TOO_LONG}"))
    }
}

impl Gpu {
    /// The first GPU, for a caller that needs one: the error says what to do without one.
    pub fn demand() -> Result<Gpu> {
        Gpu::open()
            .map_err(|error| anyhow!("{error}: omit `--device gpu`, or run on a machine that has a GPU"))
    }

    /// The first GPU, or in one line why there is none.
    pub(crate) fn open() -> Result<Gpu> {
        // cudarc opens the library by its name, under several names.
        nvrtc::loads_nothing_from_here(&["libcuda", "libnvcuda"]).map_err(|why| anyhow!("no GPU: {why}"))?;
        // SAFETY: opens and closes the driver's library; libcuda has no initialisers that could misbehave.
        if !unsafe { sys::is_culib_present() } {
            bail!("no GPU: libcuda, the library of NVIDIA's driver, is not installed");
        }
        result::init().map_err(|error| anyhow!("no GPU: {}", words(error)))?;
        let context = CudaContext::new(0).map_err(|error| anyhow!("no GPU: {}", words(error)))?;
        let about = about(&context).map_err(|error| anyhow!("the GPU does not answer: {}", words(error)))?;
        let (major, minor) = context.compute_capability()?;
        let stream = context.default_stream();
        let timed_runs = if about.name == EMULATED { 0 } else { TIMED_RUNS };
        Ok(Gpu {
            context,
            stream,
            buffers: Vec::new(),
            modules: BTreeMap::new(),
            about,
            capability: (10 * major + minor) as u32,
            timed_runs,
            once_only: BTreeSet::new(),
        })
    }

    /// The target of a text, for example `sm_90`, if this GPU is too old for it.
    pub fn missing<'c>(&self, code: &'c Code) -> Option<&'c str> {
        target::missing(&code.ptx, self.capability)
    }

    /// Sets how many times each kernel is run for timing, after one run to warm up.
    pub(crate) fn set_timed_runs(&mut self, runs: u32) {
        if self.about.name != EMULATED {
            self.timed_runs = runs;
        }
    }

    /// Makes the GPU run the kernels of a module only once from now on, without timing. Buffers are restored between
    /// runs but variables of a module are not, and the emulator has checked only a run from the first state.
    pub fn run_once_only(&mut self, code: &Code) {
        self.once_only.insert(code.name.clone());
    }

    fn load(&mut self, code: &Code) -> Result<Loaded> {
        if let Some(loaded) = self.modules.get(&code.name) {
            return Ok(loaded.clone());
        }
        let kernels = Arc::new(Kernels::of(&code.name, &code.ptx, host_memory_bytes())?);
        let load = || self.context.load_module(Ptx::from_src(code.ptx.clone()));
        let refused = |error| anyhow!("the GPU's driver refuses `{}`: {}", code.name, words(error));
        let loaded =
            Loaded { kernels, module: load().map_err(refused)?, stopwatch: load().map_err(refused)? };
        self.modules.insert(code.name.clone(), loaded.clone());
        Ok(loaded)
    }

    /// Runs a kernel for timing and then once for the result, each time with the same inputs, because kernels may work
    /// in place.
    fn run(&mut self, loaded: &Loaded, launch: &Launch) -> Result<Option<Timing>> {
        loaded.kernels.check(&launch.kernel, &launch.given())?;
        let untimed = self.timed_runs == 0 || self.once_only.contains(&launch.code.name);
        let timing = if untimed { None } else { self.times(loaded, launch)? };
        self.launch_once(&function(&loaded.module, launch)?, launch)?;
        Ok(timing)
    }

    fn times(&mut self, loaded: &Loaded, launch: &Launch) -> Result<Option<Timing>> {
        let saved = self.save(launch)?;
        let timed = function(&loaded.stopwatch, launch)?;
        let mut times = Vec::new();
        for _ in 0..=self.timed_runs {
            times.push(self.launch_once(&timed, launch)?);
            self.restore(&saved)?;
        }
        // The first run warms up and is not counted.
        let warm_up_us = Some(times.remove(0));
        Ok(Timing::of(times).map(|timing| Timing { warm_up_us, ..timing }))
    }

    fn save(&self, launch: &Launch) -> Result<Vec<(BufferId, CudaSlice<u8>)>> {
        let copy = |id: BufferId| Ok((id, self.stream.clone_dtod(self.buffer(id)?)?));
        launch.buffers().into_iter().map(copy).collect()
    }

    fn restore(&mut self, saved: &[(BufferId, CudaSlice<u8>)]) -> Result<()> {
        for (BufferId(id), copy) in saved {
            self.stream.memcpy_dtod(copy, &mut self.buffers[*id])?;
        }
        Ok(())
    }

    /// One launch, from start to end; returns the microseconds between the events before and after it.
    fn launch_once(&self, function: &CudaFunction, launch: &Launch) -> Result<f64> {
        let pushed: Vec<Pushed> = launch.args.iter().map(|arg| self.push(arg)).collect::<Result<_>>()?;
        let mut builder = self.stream.launch_builder(function);
        for argument in &pushed {
            match argument {
                Pushed::Buffer(buffer) => builder.arg(*buffer),
                Pushed::Value(value) => builder.arg(value.as_ref()),
            };
        }
        builder.record_kernel_launch(CU_EVENT_DEFAULT);
        // SAFETY: `run` has checked the number and the sizes of the arguments against the kernel's parameters, so the
        // driver reads nothing that is not there. `Device` and `lanes run` let the emulator run every launch first,
        // from the same inputs, and no access of the kernel left its allocations there. (An index that depends on a
        // race could still differ here; the emulator has seen one order.) With `--check none` the emulator is left out,
        // and the driver may have to stop the kernel. The kernel can then reach this process's memory on the GPU, but
        // never the host's.
        let events = unsafe { builder.launch(config(launch)) }?;
        let (start, end) = events.ok_or_else(|| anyhow!("the driver recorded no events"))?;
        Ok(f64::from(start.elapsed_ms(&end)?) * 1e3)
    }

    fn push(&self, argument: &Argument) -> Result<Pushed<'_>> {
        match argument {
            Argument::Buffer(id) => Ok(Pushed::Buffer(self.buffer(*id)?)),
            Argument::Value(value) => Pushed::value(value.as_bytes()),
            Argument::Structure(fields, named) => Pushed::value(&self.filled(fields, named)?),
        }
    }

    /// A structure with the addresses that its buffers have here, and with tensor maps that this driver has made.
    fn filled(&self, fields: &Structure, named: &BTreeMap<String, BufferId>) -> Result<Vec<u8>> {
        let mut layout = fields.layout();
        for Place { offset, buffer, tensor } in layout.places.clone() {
            let id = named.get(buffer).ok_or_else(|| anyhow!("there is no buffer `{buffer}` on the GPU"))?;
            let address = self.buffer(*id)?.device_ptr(&self.stream).0;
            match tensor {
                Some(tensor) => layout.fill(offset, &encoded(&tensor.request(address))?),
                None => layout.fill(offset, &address.to_le_bytes()),
            }
        }
        Ok(layout.bytes)
    }

    fn buffer(&self, BufferId(id): BufferId) -> Result<&CudaSlice<u8>> {
        self.buffers.get(id).ok_or_else(|| anyhow!("there is no buffer {id} on the GPU"))
    }
}

impl Machine for Gpu {
    fn about(&self) -> About {
        self.about.clone()
    }

    /// Half of the free memory, because the inputs are stored twice while a kernel is timed.
    fn memory_bytes(&self) -> u64 {
        self.context.mem_get_info().map_or(0, |(free, _)| free as u64 / 2)
    }

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<()> {
        let buffer = self.stream.alloc_zeros(bytes as usize);
        self.buffers
            .push(buffer.map_err(|error| anyhow!("`{name}` does not fit on the GPU: {}", words(error)))?);
        Ok(())
    }

    fn free_from(&mut self, BufferId(first): BufferId) {
        self.buffers.truncate(first);
    }

    fn write(&mut self, BufferId(id): BufferId, bytes: &[u8]) -> Result<()> {
        let (wanted, given) = (self.buffer(BufferId(id))?.len(), bytes.len());
        if wanted != given {
            bail!("a buffer of {wanted} bytes was given {given}: write all of it");
        }
        Ok(self.stream.memcpy_htod(bytes, &mut self.buffers[id])?)
    }

    fn read(&mut self, id: BufferId) -> Result<Vec<u8>> {
        let bytes = self.stream.clone_dtoh(self.buffer(id)?)?;
        self.stream.synchronize()?;
        Ok(bytes)
    }

    fn launch(&mut self, launch: &Launch) -> Result<Run> {
        let loaded = self.load(&launch.code)?;
        let timing = self.run(&loaded, launch);
        let timing = timing.map_err(|error| anyhow!("`{}` failed on the GPU: {error}", launch.kernel))?;
        Ok(Run { kernels: vec![launch.to_string()], timing, ..Run::default() })
    }
}

/// The first GPU by itself, for kernels that a certain compiler has to compile: PTX at a given optimisation level, or
/// the machine code that an assembler wrote.
///
/// Unlike a [`Device`](crate::Device), it does not run the kernel on the emulator first. So pass only kernels that end
/// and stay within their memory. After any other kernel, the driver refuses all further calls of the process.
pub struct Card {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    about: About,
}

/// What a [`Card`] loads.
#[derive(Clone, Copy, Debug)]
pub enum Image<'a> {
    /// PTX, for the driver's own compiler at this optimisation level, 0 to 4.
    Ptx(&'a str, u32),
    /// Machine code, and the PTX of which it was made, which says what its kernels take.
    Cubin(Cubin<'a>, &'a str),
}

impl<'a> Image<'a> {
    fn ptx(self) -> &'a str {
        match self {
            Image::Ptx(ptx, _) | Image::Cubin(_, ptx) => ptx,
        }
    }
}

/// An argument of a kernel on a [`Card`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardArgument {
    /// The address of a buffer with these bytes. After the launch they are what the kernel has written.
    Buffer(Vec<u8>),
    /// The bytes of a value.
    Value(Vec<u8>),
}

impl CardArgument {
    fn given(&self) -> Given {
        match self {
            CardArgument::Buffer(_) => Given::Address,
            CardArgument::Value(bytes) => Given::Value(bytes.len() as u64),
        }
    }
}

/// The stack of a thread in bytes, enough for functions that call themselves a few times.
const STACK_BYTES: usize = 4096;

impl Card {
    /// The first GPU, or in one line why there is none.
    pub fn open() -> Result<Card> {
        let Gpu { context, stream, about, .. } = Gpu::open()?;
        context.set_limit(sys::CUlimit::CU_LIMIT_STACK_SIZE, STACK_BYTES)?;
        Ok(Card { context, stream, about })
    }

    /// A description of the GPU.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Loads an image, runs one of its kernels, and unloads the image.
    ///
    /// # Errors
    /// The text is no PTX or its kernel takes other arguments, the driver refuses the image or the launch, or it has
    /// stopped the kernel.
    pub fn run(
        &self,
        image: Image<'_>,
        kernel: &str,
        grid: Dim3,
        block: Dim3,
        arguments: &mut [CardArgument],
    ) -> Result<()> {
        let kernels = Kernels::of("the text", image.ptx(), host_memory_bytes())?;
        let given: Vec<Given> = arguments.iter().map(CardArgument::given).collect();
        let params = &kernels.check(kernel, &given)?.params;
        self.context.bind_to_thread()?;
        let module =
            Raw::load(image).map_err(|error| anyhow!("the driver refuses the PTX: {}", words(error)))?;
        let mut buffers: Vec<CudaSlice<u8>> = Vec::new();
        let mut block_of_arguments = Block::new();
        for (argument, param) in arguments.iter().zip(params) {
            match argument {
                CardArgument::Buffer(bytes) => {
                    let buffer = self.stream.clone_htod(bytes)?;
                    let address = buffer.device_ptr(&self.stream).0;
                    block_of_arguments.put(param.offset, &address.to_le_bytes())?;
                    buffers.push(buffer);
                }
                CardArgument::Value(bytes) => block_of_arguments.put(param.offset, bytes)?,
            }
        }
        module.launch(kernel, grid, block, &mut block_of_arguments, &self.stream)?;
        self.stream
            .synchronize()
            .map_err(|error| anyhow!("the driver stopped the kernel: {}", words(error)))?;
        let places = arguments.iter_mut().filter_map(|argument| match argument {
            CardArgument::Buffer(bytes) => Some(bytes),
            CardArgument::Value(_) => None,
        });
        for (place, buffer) in places.zip(&buffers) {
            *place = self.stream.clone_dtoh(buffer)?;
        }
        Ok(self.stream.synchronize()?)
    }
}

/// The arguments of a launch, each where its parameter is. Machine code may have other parameters than the text that was
/// named with it, so the block is as long as the longest that a kernel may have, and a driver that reads more than it is
/// told to finds zeros.
struct Block {
    bytes: Vec<u8>,
    length: usize,
}

/// The bytes of parameters that a kernel may have: *CUDA C++ Programming Guide, Function Parameters*, rounded up.
const LONGEST_BLOCK: usize = 32 << 10;
const TOO_LONG: &str = "a kernel may have parameters of 32 KiB: pass a buffer instead";

impl Block {
    fn new() -> Block {
        Block { bytes: vec![0; LONGEST_BLOCK], length: 0 }
    }

    fn put(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let (start, end) = (offset as usize, offset as usize + bytes.len());
        let Some(place) = self.bytes.get_mut(start..end) else {
            bail!("{TOO_LONG}");
        };
        place.copy_from_slice(bytes);
        self.length = self.length.max(end);
        Ok(())
    }
}

/// A loaded module, unloaded when it is dropped.
struct Raw(sys::CUmodule);

impl Raw {
    fn load(image: Image<'_>) -> Result<Raw, DriverError> {
        let mut module = std::ptr::null_mut();
        let text;
        let (bytes, mut options, mut values) = match image {
            Image::Ptx(ptx, level) => {
                // `run` has refused texts with a zero byte.
                text = CString::new(ptx).unwrap_or_default();
                let level = std::ptr::without_provenance_mut(level as usize);
                (text.as_ptr().cast(), vec![sys::CUjit_option::CU_JIT_OPTIMIZATION_LEVEL], vec![level])
            }
            Image::Cubin(code, _) => (code.bytes().as_ptr().cast(), Vec::new(), Vec::new()),
        };
        // SAFETY: a text ends in a zero, and `run` has read it as PTX, so the driver does not take it for machine code;
        // all parts of machine code are there, which `Cubin` has checked. There are as many options as values, and the
        // value of the one there can be is a number in the place of a pointer, as its documentation asks for.
        unsafe {
            sys::cuModuleLoadDataEx(
                &raw mut module,
                bytes,
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        }
        .result()?;
        Ok(Raw(module))
    }

    fn launch(
        &self,
        kernel: &str,
        grid: Dim3,
        block: Dim3,
        arguments: &mut Block,
        stream: &CudaStream,
    ) -> Result<()> {
        let mut bytes = arguments.length;
        // What a launch gets instead of pointers to the arguments: their address, their size, and an end mark.
        let mut extra: [*mut c_void; 5] = [
            std::ptr::without_provenance_mut(1),
            arguments.bytes.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(2),
            (&raw mut bytes).cast(),
            std::ptr::null_mut(),
        ];
        // SAFETY: the module is loaded, and the driver copies as many bytes of arguments as it is told there are, or as the
        // kernel has, which are there too. A kernel that leaves its buffers can reach this process's memory on the card, and
        // never the host's.
        unsafe {
            let function = result::module::get_function(self.0, CString::new(kernel)?)?;
            sys::cuLaunchKernel(
                function,
                grid.x,
                grid.y,
                grid.z,
                block.x,
                block.y,
                block.z,
                0,
                stream.cu_stream(),
                std::ptr::null_mut(),
                extra.as_mut_ptr(),
            )
            .result()
            .map_err(|error| anyhow!("the driver refuses the launch: {}", words(error)))
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // SAFETY: the module was loaded and is unloaded once. After a kernel that was stopped the driver refuses this as
        // everything else, which changes nothing.
        let _ = unsafe { result::module::unload(self.0) };
    }
}

/// The kernel in a module. The driver has to be asked to allow more than 48 KiB of dynamic shared memory, and for clusters if
/// the kernel was not compiled for them.
fn function(module: &Arc<CudaModule>, launch: &Launch) -> Result<CudaFunction> {
    let function = module.load_function(&launch.kernel)?;
    if launch.simt.shared_bytes > 48 << 10 {
        function.set_attribute(
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            launch.simt.shared_bytes as i32,
        )?;
    }
    if let Some(Dim3 { x, y, z }) = launch.simt.cluster {
        let sizes = [
            (CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, x),
            (CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, y),
            (CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, z),
        ];
        for (attribute, size) in sizes {
            if function.get_attribute(attribute)? != size as i32 {
                function.set_attribute(attribute, size as i32)?;
            }
        }
    }
    Ok(function)
}

fn config(launch: &Launch) -> LaunchConfig {
    let triple = |Dim3 { x, y, z }| (x, y, z);
    LaunchConfig {
        grid_dim: triple(launch.simt.grid),
        block_dim: triple(launch.simt.block),
        shared_mem_bytes: launch.simt.shared_bytes,
    }
}

/// A tensor map as the driver makes it.
fn encoded(request: &TensorMapRequest<'_>) -> Result<Vec<u8>> {
    // The emulator's map has other bytes, and the same rules.
    TensorMap::encode(request)?;
    let mut map = sys::CUtensorMap { opaque: [0; 16] };
    // SAFETY: what was encoded has no numbers but those of the driver's enumerations, and as many sizes, strides, lengths and steps
    // as its rank says. The driver notes the address of the tensor, and reads nothing there.
    let made = unsafe {
        sys::cuTensorMapEncodeTiled(
            &raw mut map,
            transmute::<u32, sys::CUtensorMapDataType>(request.element),
            request.rank,
            std::ptr::without_provenance_mut(request.address as usize),
            request.sizes.as_ptr(),
            request.strides.as_ptr(),
            request.lengths.as_ptr(),
            request.steps.as_ptr(),
            transmute::<u32, sys::CUtensorMapInterleave>(request.interleave),
            transmute::<u32, sys::CUtensorMapSwizzle>(request.swizzle),
            transmute::<u32, sys::CUtensorMapL2promotion>(request.promotion),
            transmute::<u32, sys::CUtensorMapFloatOOBfill>(request.fill),
        )
    };
    made.result().map_err(|error| anyhow!("the driver refuses the tensor map: {}", words(error)))?;
    Ok(map.opaque.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn about(context: &CudaContext) -> Result<About, DriverError> {
    let (major, minor) = context.compute_capability()?;
    let mut version = 0;
    // SAFETY: the driver writes one integer to the place it is given.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    let details = [
        ("compute capability", Some(format!("{major}.{minor}"))),
        ("driver's CUDA", Some(format!("{}.{}", version / 1000, version % 1000 / 10))),
        ("driver", kernel_module()),
    ];
    let details = details.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Ok(About { name: context.name()?, details: details.collect() })
}

/// The release of the driver, for example `580.65.06`. The driver's own interface does not have it; Linux does.
fn kernel_module() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let is_release = |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.lines().next()?.split_whitespace().find(is_release).map(str::to_owned)
}

/// The driver's own description of an error.
fn words(error: DriverError) -> String {
    let text = error.error_string().ok().and_then(|text| text.to_str().ok());
    text.map_or_else(|| format!("error {:?}", error.0), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_zeros_behind_it() {
        let Pushed::Value(bytes) = Pushed::value(&[1, 2]).unwrap() else { unreachable!() };
        assert_eq!(bytes[..4], [1, 2, 0, 0]);
        assert!(Pushed::value(&vec![0; LONGEST_BLOCK + 1]).is_err());
    }

    #[test]
    fn arguments_are_where_their_parameters_are() {
        let mut block = Block::new();
        block.put(0, &[1; 4]).unwrap();
        block.put(8, &[2; 8]).unwrap();
        assert_eq!((block.length, block.bytes[3..9].to_vec()), (16, vec![1, 0, 0, 0, 0, 2]));
        assert!(
            block.put(LONGEST_BLOCK as u64 - 1, &[0; 2]).is_err() && block.put(u64::MAX - 1, &[0]).is_err()
        );
    }
}
