//! Launches in a row on named buffers, with everything looked up before anything runs.
//!
//! `lanes run` makes them of its command line and `lanes test` of a scenario file; from here on they are the same. What it
//! leaves out: seeds, and what is reported.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Error, Result, anyhow, bail, ensure};
use simt::{Arg, Buffer, KernelInfo, Launch, Module};
use spec::launch::{Launch as Asked, Shape};
use spec::{BufferSpec, Fill, Spec, is_name};

use super::expect::{self, Contents, Expected};
use super::inputs::{filled, initial_bytes};
use super::{kernels, signature};
use crate::request::Expect;

/// Launches, and the memory with which they begin and end.
#[derive(Debug, Default)]
pub struct Sequence {
    pub buffers: Vec<(String, BufferSpec)>,
    /// Variables of the module, and their first contents.
    pub symbols: Vec<(String, Vec<u8>)>,
    pub steps: Vec<Step>,
    /// What buffers have to contain in the end.
    pub contents: Vec<Contents>,
}

/// A launch whose kernel and arguments exist.
#[derive(Clone, Debug)]
pub struct Step {
    pub kernel: KernelInfo,
    /// The launch without arguments.
    pub launch: Launch,
    pub args: Vec<Wanted>,
}

/// An argument of a launch.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// The address of a buffer.
    Buffer(String),
    /// A number or a structure.
    Value(Spec),
}

impl Sequence {
    /// The buffer with this name.
    pub fn buffer(&self, name: &str) -> Result<&BufferSpec> {
        let known = self.buffers.iter().find(|(known, _)| known == name);
        known.map(|(_, spec)| spec).ok_or_else(|| match self.names().as_str() {
            "" => anyhow!("there is no buffer `{name}`: add it to the buffers"),
            names => anyhow!("there is no buffer `{name}`: choose one of {names}, or add it to the buffers"),
        })
    }

    fn names(&self) -> String {
        self.buffers.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }

    /// The bytes of all buffers.
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(|(_, spec)| spec.bytes()).fold(0, u64::saturating_add)
    }

    /// Adds a launch, whose kernel and arguments are looked up.
    pub fn add(&mut self, program: &str, module: &Module, asked: &Asked, launch: Launch) -> Result<()> {
        let kernel = kernels::choose(program, module.kernels(), asked.kernel.as_deref())?.clone();
        let args = asked.arguments.iter().map(|argument| self.argument(&argument.is));
        let args = args.collect::<Result<Vec<_>>>()?;
        let spec = |wanted: &Wanted| match wanted {
            Wanted::Value(spec) => spec.clone(),
            Wanted::Buffer(name) => Spec::Buffer(self.spec(name).clone()),
        };
        spec::prepare(&kernel, &args.iter().map(spec).collect::<Vec<_>>(), u64::MAX)?;
        self.steps.push(Step { kernel, launch, args });
        Ok(())
    }

    /// An argument: the name of a buffer, a number or a structure.
    fn argument(&self, text: &str) -> Result<Wanted> {
        if is_name(text) {
            return self.buffer(text).map(|_| Wanted::Buffer(text.to_owned()));
        }
        match Spec::parse(text).map_err(Error::msg)? {
            Spec::Buffer(_) => bail!("`{text}`: give the buffer a name, and give that name here"),
            Spec::Structure(fields) => {
                fields.buffers().into_iter().try_for_each(|name| self.buffer(name).map(drop))?;
                Ok(Wanted::Value(Spec::Structure(fields)))
            }
            number @ Spec::Scalar(..) => Ok(Wanted::Value(number)),
        }
    }

    /// The launch if it is the only one.
    pub fn only(&self) -> Option<&Step> {
        self.steps.first().filter(|_| self.steps.len() == 1)
    }

    /// The last launch, which is the only one as a rule.
    pub fn last(&self) -> &Step {
        self.steps.last().expect("there is a launch")
    }

    /// The name of the buffer that an option means by its name or by the number of an argument.
    pub fn buffer_name(&self, text: &str) -> Result<String> {
        let Ok(argument) = text.parse::<usize>() else {
            return self.buffer(text).map(|_| text.to_owned());
        };
        let Some(step) = self.only() else {
            bail!("there are several launches: give the name of a buffer and not the number of an argument")
        };
        match step.args.get(argument) {
            Some(Wanted::Buffer(name)) => Ok(name.clone()),
            Some(Wanted::Value(Spec::Structure(_))) => {
                bail!("argument {argument} is a structure, not a buffer")
            }
            Some(Wanted::Value(_)) => bail!("argument {argument} is a number, not a buffer"),
            None => bail!("there is no such argument; they are counted from 0"),
        }
    }

    /// Which argument a buffer is.
    pub fn argument_of(&self, name: &str) -> Option<usize> {
        let is_it = |wanted: &Wanted| matches!(wanted, Wanted::Buffer(known) if known == name);
        self.only()?.args.iter().position(is_it)
    }

    /// The first argument that is a buffer or has its address in it.
    pub fn reaching(&self, name: &str) -> Option<usize> {
        let reaches = |wanted: &Wanted| match wanted {
            Wanted::Buffer(known) => known == name,
            Wanted::Value(Spec::Structure(fields)) => fields.buffers().contains(&name),
            Wanted::Value(_) => false,
        };
        self.only()?.args.iter().position(reaches)
    }

    /// The buffer with a name that was looked up.
    pub fn spec(&self, name: &str) -> &BufferSpec {
        self.buffer(name).expect("the name was looked up")
    }

    /// Refuses buffers that do not fit into so many bytes of memory together.
    pub fn fit(&self, memory_bytes: u64) -> Result<()> {
        let mut left = memory_bytes;
        for (name, spec) in &self.buffers {
            let bytes = spec.bytes();
            left = left.checked_sub(bytes).ok_or_else(|| {
                anyhow!(
                    "`{name}` does not fit into memory: {bytes} bytes were requested and {left} are left: give it fewer \
                     elements"
                )
            })?;
        }
        Ok(())
    }

    /// Adds a variable of the module and its first contents: a buffer's, a number or a structure.
    pub fn set(&mut self, module: &Module, name: &str, text: &str, folder: Option<&Path>) -> Result<()> {
        let names = || variables(module).map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let Some(symbol) = module.variable(name) else {
            match names().as_str() {
                "" => bail!("the program has no variable: declare one, as `__constant__` or `__device__`"),
                names => bail!("the program has no such variable: it has {names}"),
            }
        };
        let bytes = first_contents(text, symbol.bytes(), folder)?;
        self.symbols.push((name.to_owned(), bytes));
        Ok(())
    }

    /// Adds what a buffer has to contain in the end.
    pub fn expect(&mut self, name: &str, expect: &Expect, folder: Option<&Path>) -> Result<()> {
        let spec = self.buffer(name)?;
        let range = expect::elements(spec, expect.range.as_deref())?;
        let expected = match (&expect.is, &expect.like) {
            (Some(text), None) => {
                // The text says what the elements of the range are.
                let (ty, count) = (spec.ty, range.len() as u64);
                let fill = Fill::parse(ty, count, text);
                let wanted = filled(fill.map(|fill| BufferSpec { ty, count, fill }), folder)?;
                if wanted.fill == Fill::Uninitialized {
                    bail!("`uninitialized` is not a value: say which elements matter with a range");
                }
                let mut bytes = vec![0; spec.bytes() as usize];
                spec::fill(&mut bytes[range.start * ty.bytes..range.end * ty.bytes], &wanted);
                Expected::Bytes(bytes)
            }
            (None, Some(other)) => {
                let like = self.buffer(other)?;
                if (like.ty, like.count) != (spec.ty, spec.count) {
                    bail!(
                        "`{other}` has {} elements of {}, and `{name}` has {} of {}: compare buffers of the same kind",
                        like.count,
                        like.ty.name,
                        spec.count,
                        spec.ty.name
                    );
                }
                Expected::Like(other.clone())
            }
            _ => bail!("give either `is`, as in `is = \"iota\"`, or `like`, with the name of a buffer"),
        };
        let tolerance = expect::tolerance(spec.ty, expect.tolerance)?;
        self.contents.push(Contents { name: name.to_owned(), ty: spec.ty, range, expected, tolerance });
        Ok(())
    }
}

impl Step {
    /// The launch with its arguments and a seed.
    pub fn launch(&self, buffers: &BTreeMap<String, Buffer>, seed: u64) -> Launch {
        let address = |name: &str| buffers[name].address();
        let value = |wanted: &Wanted| match wanted {
            Wanted::Buffer(name) => address(name).into(),
            Wanted::Value(Spec::Structure(fields)) => Arg::bytes(&fields.pack(&address)),
            Wanted::Value(Spec::Scalar(_, bytes)) => Arg::bytes(bytes),
            Wanted::Value(Spec::Buffer(_)) => unreachable!("buffers have names"),
        };
        Launch { seed, args: self.args.iter().map(value).collect(), ..self.launch.clone() }
    }

    /// `sum<<<8, 256>>>`.
    pub fn title(&self) -> String {
        let shape = |shape: simt::Dim3| {
            let text = Shape::from(shape).to_string();
            if text.contains(',') { format!("({})", text.replace(',', ", ")) } else { text }
        };
        let Launch { grid, block, shared_bytes, .. } = self.launch;
        let shared = if shared_bytes > 0 { format!(", {shared_bytes}") } else { String::new() };
        let name = signature::short(&self.kernel.name);
        format!("{name}<<<{}, {}{shared}>>>", shape(grid), shape(block))
    }
}

/// The variables of a program, without those of the compiler.
pub fn variables(module: &Module) -> impl Iterator<Item = (&str, Buffer)> {
    let is_own =
        |name: &str| !name.starts_with('$') && !name.starts_with("__") && !name.contains("_INTERNAL_");
    module.variables().filter(move |(name, _)| is_own(name))
}

/// The bytes of a variable, which has so many: `f32:5:iota` as for a buffer, `i32:5` or `{f32:2, i32:5}`. Nothing is allocated
/// before their number is known to be right.
fn first_contents(text: &str, wanted: u64, folder: Option<&Path>) -> Result<Vec<u8>> {
    let check = |bytes: u64| {
        let has = format!("it has {wanted} bytes, and `{text}` has {bytes}");
        ensure!(bytes == wanted, "{has}: give as many elements as it has");
        Ok(())
    };
    if text.starts_with('{') || text.matches(':').count() == 1 {
        let bytes = match Spec::parse(text).map_err(Error::msg)? {
            Spec::Scalar(_, bytes) => bytes,
            Spec::Structure(fields) if fields.buffers().is_empty() => fields.pack(&|_| 0),
            _ => bail!("`{text}`: a variable is filled with numbers, as in `f32:5:iota`"),
        };
        return check(bytes.len() as u64).map(|()| bytes);
    }
    let spec = BufferSpec::parse(text).map_err(Error::msg)?;
    check(spec.bytes())?;
    Ok(initial_bytes(&filled(Ok(spec), folder)?))
}
