//! Executes the tree: expressions, statements, calls.
//!
//! Values are 64 bits; variables are in the memory of the host, the frames of functions on its stack.

use cudac::Line;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use cudac::host::{Expr, Loop, Program, Stmt, Switch};

use crate::Given;
use crate::device::{Device, LoadedKernel};
use crate::files::Store;
use crate::finding::{Finding, Kind};
use crate::function::Function;
use crate::memory::{BASE, Memory, state};
use crate::places::Places;
use crate::process::{Native, Process};
use crate::quick::{Code, Escapes};
use crate::random::Random;
use crate::repeats::Repeats;
use crate::words::of_driver;
use crate::work::{Capture, Graph};
use crate::{Error, Event, Limits, Outcome, Watch, arithmetic};

/// Why execution does not continue.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Something is wrong.
    Finding(Finding),
    /// The same, and the findings have it already.
    Reported,
    /// `exit`
    Exit(i32),
    /// Whoever runs the program wishes it.
    Interrupted,
    /// The process that executes the host code has ended.
    Gone,
    /// The call has done nothing, and is made again when a function of the host has ended.
    Awaits,
    /// Something is not supported, or a limit was reached.
    Error(String),
}

impl From<Finding> for Box<Stop> {
    fn from(finding: Finding) -> Box<Stop> {
        Box::new(Stop::Finding(finding))
    }
}

impl Stop {
    /// Something is not supported, or a limit was reached.
    #[expect(clippy::unnecessary_box_returns, reason = "it is what a `Result` has")]
    pub fn error(message: impl Into<String>) -> Box<Stop> {
        Box::new(Stop::Error(message.into()))
    }
}

/// The stream with the largest number of those that every program has.
const STANDARD_ERROR: u64 = 2;

/// A box, so that results are small.
pub(crate) type Result<T> = std::result::Result<T, Box<Stop>>;

/// How a statement ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    Break,
    Continue,
    /// The value is [`Machine::returned`].
    Return,
    /// A jump to a label.
    Goto(u32),
}

/// A program that is being executed.
pub(crate) struct Machine<'p> {
    pub program: &'p Program,
    pub places: Places,
    /// The kernels that may be launched: those of the program, or those that a driver was asked for.
    pub kernels: Vec<Rc<LoadedKernel>>,
    pub limits: Limits,
    pub memory: Memory,
    pub device: Device,
    /// The process that executes the host code, if this machine does not.
    pub native: Option<Native<'p>>,
    pub random: Random,
    pub output: Vec<u8>,
    pub errors: Vec<u8>,
    pub findings: Vec<Finding>,
    /// What is suspicious: lines, and what is wrong there.
    pub suspects: Vec<(Line, String)>,
    pub watch: Watch<'p>,
    /// How much of the output has been told.
    told: usize,
    /// The line that is being executed.
    pub line: Line,
    /// The variable whose address the last call of the runtime got first.
    pub first: Option<String>,
    pub functions: Vec<Function>,
    /// The offsets of variables of the host, and of texts.
    globals: Vec<u64>,
    texts: Vec<u64>,
    pub steps: u64,
    /// How often memory was written or the runtime was called.
    pub changes: u64,
    pub calls: usize,
    /// What the last `return` returned.
    pub returned: u64,
    /// The objects that have to be destroyed: the destructor, and the address.
    pub owned: Vec<(usize, u64)>,
    /// The standard input, and the files that are open or were written.
    pub files: Store<'p>,
    /// Texts that are being made by streams of the program, by the numbers of these, and their bytes.
    pub streams: BTreeMap<u64, Vec<u8>>,
    pub streams_bytes: usize,
    pub last_stream: u64,
    /// Where texts that stay are in memory: the names of errors, and what they mean.
    pub kept_texts: BTreeMap<String, u64>,
    /// What is being captured, and the graphs that were, by their numbers.
    pub capture: Option<Capture>,
    pub graphs: BTreeMap<u64, Graph>,
    pub last_graph: u64,
    /// Whether the variables of the program do not fit into memory.
    is_too_large: bool,
    /// Whether a function of this compiler's own is running, which passes errors on.
    pub is_own: bool,
    /// Warp instructions of all launches so far.
    pub launched_steps: u64,
    /// The largest limit of a launch so far.
    pub most_steps: u64,
    /// Which launches were checked for races.
    pub repeats: Repeats,
    /// Which variables of each function are in memory, and the loops that have been translated, or cannot be.
    pub escapes: Rc<Vec<Escapes>>,
    pub quick: HashMap<usize, Option<Rc<Code<'p>>>>,
}

impl<'p> Machine<'p> {
    pub fn new(
        program: &'p Program,
        name: &str,
        ptx: &str,
        given: &Given<'p>,
        process: Option<&'p dyn Process>,
        limits: &Limits,
        watch: Watch<'p>,
    ) -> std::result::Result<Machine<'p>, Error> {
        let failed = |message: String| Error { place: None, message };
        let (mut memory, mut is_too_large) = (Memory::new(), false);
        let mut add = |bytes: u64, value: &[u8]| {
            let at = memory.add(bytes, state::SET, 1, limits.memory_bytes / 2);
            is_too_large |= at.is_none();
            if let Some(at) = at {
                memory.bytes[at as usize..at as usize + value.len()].copy_from_slice(value);
            }
            at.unwrap_or_default()
        };
        let variables = program.globals.iter();
        let globals = variables.map(|global| add(global.bytes, global.value.as_deref().unwrap_or_default()));
        let globals = globals.collect();
        let texts = program.texts.iter().map(|text| add(text.len() as u64 + 1, text)).collect();
        let functions =
            program.runtime.iter().map(|name| Function::named(name).ok_or_else(|| failed(unsupported(name))));
        let mut device = Device::new(name, ptx, limits.memory_bytes, &program.managed, process.is_some())
            .map_err(failed)?;
        device.has_free_streams = program.runtime.iter().any(|name| name == "__host_cuda_stream_create_with");
        Ok(Machine {
            program,
            places: Places::of(program),
            kernels: program.kernels.iter().map(LoadedKernel::own).collect(),
            limits: limits.clone(),
            memory,
            device,
            native: process.map(Native::new),
            random: Random::new(1),
            output: Vec::new(),
            errors: Vec::new(),
            findings: Vec::new(),
            suspects: program.suspects.clone(),
            watch,
            told: 0,
            line: Line::NONE,
            first: None,
            functions: functions.collect::<std::result::Result<_, _>>()?,
            globals,
            texts,
            steps: 0,
            changes: 0,
            calls: 0,
            returned: 0,
            owned: Vec::new(),
            files: Store::new(given.files),
            streams: BTreeMap::new(),
            streams_bytes: 0,
            last_stream: STANDARD_ERROR,
            kept_texts: BTreeMap::new(),
            capture: None,
            graphs: BTreeMap::new(),
            last_graph: 0,
            is_too_large,
            is_own: false,
            launched_steps: 0,
            most_steps: 0,
            repeats: Repeats::default(),
            escapes: Rc::new(program.functions.iter().map(Escapes::of).collect()),
            quick: HashMap::new(),
        })
    }

    /// Puts the words of the command line into memory, and returns the arguments of `main`: their number, and where they are.
    fn arguments(&mut self, words: &[&str]) -> Option<[u64; 2]> {
        let [most, _] = self.most_bytes();
        let table = self.memory.add(8 * (words.len() as u64 + 1), state::SET, 1, most)?;
        for (nth, word) in words.iter().enumerate() {
            let at = self.memory.add(word.len() as u64 + 1, state::SET, 1, most)?;
            self.memory.bytes[at as usize..at as usize + word.len()].copy_from_slice(word.as_bytes());
            let entry = (table + 8 * nth as u64) as usize;
            self.memory.bytes[entry..entry + 8].copy_from_slice(&(BASE + at).to_le_bytes());
        }
        Some([words.len() as u64, BASE + table])
    }

    /// Executes `main` with the words of a command line.
    pub fn run(mut self, words: &[&str]) -> std::result::Result<Outcome, Error> {
        let count = self.program.functions[self.program.main].parameters.len();
        let given = self.arguments(words).filter(|_| !self.is_too_large);
        let given = given.ok_or_else(|| self.out_of_memory().into());
        let program = self.program;
        let ended = given.and_then(|given| {
            let arguments: Vec<u64> = (0..count).map(|nth| given.get(nth).copied().unwrap_or(0)).collect();
            program.start.as_ref().map_or(Ok(0), |start| self.enter(start, &[]))?;
            self.invoke(program.main, &arguments)
        });
        self.conclude(ended)
    }

    pub fn found<T>(&self, kind: Kind, message: impl Into<String>, help: &str) -> Result<T> {
        Err(Finding::new(kind, self.line, message, help).into())
    }

    /// Notes a finding, and tells it after what was printed before it.
    pub fn add(&mut self, mut finding: Finding) {
        finding.place = self.places.file_and_function(finding.line).map(str::to_owned);
        if self.places.are_of_driver() {
            finding.message = of_driver(&finding.message);
            finding.help = of_driver(&finding.help);
        }
        self.tell_printed();
        if self.output.len() > self.told {
            (self.watch)(Event::Output(&self.output[self.told..]));
            self.told = self.output.len();
        }
        (self.watch)(Event::Finding(&finding));
        self.findings.push(finding);
    }

    pub fn statements(&mut self, statements: &'p [Stmt], frame: u64) -> Result<Flow> {
        let mut at = 0;
        // The labels that were passed, and how many objects there were. C++17, [stmt.jump]: those that were made since end
        // with a jump back.
        let mut passed = Vec::new();
        while let Some(statement) = statements.get(at) {
            if matches!(statement, Stmt::Label(_)) {
                passed.push((at, self.owned.len()));
            }
            at = match self.statement(statement, frame)? {
                Flow::Next => at + 1,
                Flow::Goto(label) => match statements.iter().position(|other| is_label(other, label)) {
                    Some(to) => to,
                    None => return Ok(Flow::Goto(label)),
                },
                flow => return Ok(flow),
            };
            if let Some(nth) = passed.iter().position(|(label, _)| *label == at) {
                self.count()?;
                self.destroy_down_to(passed[nth].1)?;
                passed.truncate(nth);
            }
        }
        Ok(Flow::Next)
    }

    pub fn statement(&mut self, statement: &'p Stmt, frame: u64) -> Result<Flow> {
        if !self.is_own
            && let Some(failure) = self.device.in_hand()
        {
            self.look_at(failure);
        }
        match statement {
            Stmt::Expr(expr, is_unused) => {
                self.eval(expr, frame)?;
                if *is_unused {
                    self.ignored()?;
                }
                Ok(Flow::Next)
            }
            Stmt::Forget(offset, bytes) => {
                let from = (frame + offset) as usize;
                self.memory.states[from..from + *bytes as usize].fill(state::EMPTY);
                Ok(Flow::Next)
            }
            Stmt::If(condition, then, otherwise) => {
                let holds = self.eval(condition, frame)? != 0;
                self.statements(if holds { then } else { otherwise }, frame)
            }
            Stmt::Block(inner) => self.statements(inner, frame),
            Stmt::Scope(inner) => {
                let kept = self.owned.len();
                let flow = self.statements(inner, frame)?;
                self.destroy_down_to(kept)?;
                Ok(flow)
            }
            Stmt::Loop(inner) => self.looping(inner, frame),
            Stmt::Switch(inner) => self.switch(inner, frame),
            Stmt::Goto(label) => Ok(Flow::Goto(*label)),
            Stmt::Label(_) => Ok(Flow::Next),
            Stmt::Break => Ok(Flow::Break),
            Stmt::Continue => Ok(Flow::Continue),
            Stmt::Return(value) => {
                self.returned = value.as_ref().map_or(Ok(0), |value| self.eval(value, frame))?;
                Ok(Flow::Return)
            }
        }
    }

    fn looping(&mut self, inner: &'p Loop, frame: u64) -> Result<Flow> {
        self.statements(&inner.init, frame)?;
        if let Some(flow) = self.quickly(inner, frame)? {
            return Ok(flow);
        }
        let mut is_untested = inner.is_do;
        loop {
            self.count()?;
            let changes = self.changes;
            if let (Some(condition), false) = (&inner.condition, is_untested)
                && self.eval(condition, frame)? == 0
            {
                return Ok(Flow::Next);
            }
            match self.statements(&inner.body, frame)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
            if let Some(step) = &inner.step {
                self.eval(step, frame)?;
            }
            if self.changes == changes && !is_untested {
                self.at(inner.line);
                let message =
                    "this loop never ends: a turn of it changes nothing, so the next one does the same";
                return Err(Stop::error(message));
            }
            is_untested = false;
        }
    }

    fn switch(&mut self, inner: &'p Switch, frame: u64) -> Result<Flow> {
        let value = self.eval(&inner.value, frame)? as i64;
        let arms = &inner.arms;
        let is_it = |labels: &Vec<Option<i64>>| labels.contains(&Some(value));
        let start = arms.iter().position(|(labels, _)| is_it(labels));
        let default = || arms.iter().position(|(labels, _)| labels.contains(&None));
        let Some(start) = start.or_else(default) else { return Ok(Flow::Next) };
        for (_, body) in &arms[start..] {
            match self.statements(body, frame)? {
                Flow::Next => {}
                Flow::Break => return Ok(Flow::Next),
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    /// The address of a variable of the host.
    pub fn global(&self, number: usize) -> u64 {
        BASE + self.globals[number]
    }

    /// The address of a text in quotes.
    pub fn text_at(&self, number: usize) -> u64 {
        BASE + self.texts[number]
    }

    pub fn at(&mut self, line: Line) {
        if line.is_known() {
            self.line = line;
        }
    }

    pub fn eval(&mut self, expr: &Expr, frame: u64) -> Result<u64> {
        Ok(match expr {
            Expr::Const(value) => *value,
            Expr::Local(offset) => BASE + frame + offset,
            Expr::Global(number) => self.global(*number),
            Expr::Symbol(number) => self.device.symbol(&self.program.symbols[*number].0),
            Expr::Text(number) => self.text_at(*number),
            Expr::Load(ty, address, line) => {
                let address = self.place(address, frame)?;
                self.at(*line);
                self.load(*ty, address)?
            }
            Expr::Store(ty, address, value, line) | Expr::StoreAt(ty, address, value, line) => {
                let value = self.eval(value, frame)?;
                let address = self.place(address, frame)?;
                self.at(*line);
                self.store(*ty, address, value)?;
                if matches!(expr, Expr::StoreAt(..)) { address } else { value }
            }
            Expr::Copy(bytes, to, from, line) => {
                let from = self.eval(from, frame)?;
                let to = self.eval(to, frame)?;
                self.at(*line);
                self.copy(to, from, *bytes)?;
                to
            }
            Expr::Clear(bytes, address) => {
                let address = self.eval(address, frame)?;
                self.fill(address, 0, *bytes)?;
                address
            }
            Expr::Update(update) => self.update(update, frame)?,
            Expr::Offset(address, bytes) => self.eval(address, frame)?.wrapping_add(*bytes),
            Expr::Index(address, index, bytes) => {
                let address = self.operand(address, frame)?;
                let index = self.operand(index, frame)?;
                address.wrapping_add(index.wrapping_mul(*bytes as u64))
            }
            Expr::Distance(a, b, bytes) => {
                let distance = self.eval(a, frame)?.wrapping_sub(self.eval(b, frame)?);
                (distance as i64 / *bytes as i64) as u64
            }
            Expr::Negate(ty, inner) => arithmetic::negate(*ty, self.eval(inner, frame)?),
            Expr::Complement(ty, inner) => arithmetic::extend(*ty, !self.eval(inner, frame)?),
            Expr::Not(inner) => u64::from(self.eval(inner, frame)? == 0),
            Expr::Binary(op, ty, a, b, line) => {
                let a = self.operand(a, frame)?;
                let b = self.operand(b, frame)?;
                match arithmetic::binary(*op, *ty, a, b) {
                    Some(value) => value,
                    None => return self.divided(*line),
                }
            }
            Expr::Compare(compare, ty, a, b) => {
                let a = self.operand(a, frame)?;
                let b = self.operand(b, frame)?;
                u64::from(arithmetic::compare(*compare, *ty, a, b))
            }
            Expr::And(a, b) => u64::from(self.eval(a, frame)? != 0 && self.eval(b, frame)? != 0),
            Expr::Or(a, b) => u64::from(self.eval(a, frame)? != 0 || self.eval(b, frame)? != 0),
            Expr::If(condition, yes, no) => {
                let holds = self.eval(condition, frame)? != 0;
                self.eval(if holds { yes } else { no }, frame)?
            }
            Expr::Convert(to, from, inner) => arithmetic::convert(*to, *from, self.operand(inner, frame)?),
            other => self.eval_rare(other, frame)?,
        })
    }

    /// [`Machine::eval`] of an address, which is often that of a variable.
    #[inline(always)]
    pub fn place(&mut self, expr: &Expr, frame: u64) -> Result<u64> {
        match expr {
            Expr::Local(offset) => Ok(BASE + frame + offset),
            other => self.eval(other, frame),
        }
    }

    /// [`Machine::eval`] of an operand, which is often a variable or a number.
    #[inline(always)]
    pub fn operand(&mut self, expr: &Expr, frame: u64) -> Result<u64> {
        match expr {
            Expr::Const(value) => return Ok(*value),
            Expr::Load(ty, address, line) => {
                if let Expr::Local(offset) = **address {
                    self.at(*line);
                    return self.load(*ty, BASE + frame + offset);
                }
            }
            _ => {}
        }
        self.eval(expr, frame)
    }

    /// What loops seldom contain, apart, so that the stack of the rest stays small.
    fn eval_rare(&mut self, expr: &Expr, frame: u64) -> Result<u64> {
        match expr {
            Expr::Then(parts) => {
                let mut last = 0;
                for part in parts {
                    last = self.eval(part, frame)?;
                }
                Ok(last)
            }
            Expr::Intrinsic(intrinsic, ty, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.eval(argument, frame)?);
                }
                Ok(arithmetic::intrinsic(*intrinsic, *ty, &values))
            }
            Expr::Call(call) => self.call(call, frame),
            Expr::Runtime(call) => {
                self.changes += 1;
                let mut values = Vec::with_capacity(call.arguments.len());
                for (_, argument) in &call.arguments {
                    values.push(self.eval(argument, frame)?);
                }
                self.at(call.line);
                let function = self.functions[call.function];
                let value = self.runtime(function, call, &values)?;
                Ok(call.result.map_or(0, |ty| arithmetic::extend(ty, value)))
            }
            Expr::Print(stream, text, arguments, line) => {
                let stream = self.eval(stream, frame)?;
                let mut values = Vec::with_capacity(arguments.len());
                for (ty, argument) in arguments {
                    values.push((*ty, self.eval(argument, frame)?));
                }
                self.at(*line);
                self.changes += 1;
                self.print(stream, *text, &values)
            }
            Expr::Launch(launch) => {
                self.changes += 1;
                self.launch(launch, frame)
            }
            Expr::CallPointer(call) => self.call_pointer(call, frame),
            Expr::Format(of, text, arguments, line) => {
                let mut values = Vec::with_capacity(arguments.len());
                for (ty, argument) in arguments {
                    values.push((*ty, self.eval(argument, frame)?));
                }
                self.at(*line);
                self.changes += 1;
                self.formatted(*of, *text, &values)
            }
            Expr::Own(address, destructors) => {
                let address = self.eval(address, frame)?;
                let ends = destructors.iter().map(|(offset, function)| (*function, address + offset));
                self.owned.extend(ends);
                Ok(address)
            }
            Expr::Disown(address, bytes) => {
                let address = self.eval(address, frame)?;
                self.owned.retain(|(_, at)| !(address..address + bytes).contains(at));
                Ok(address)
            }
            Expr::Clean(inner) => {
                let kept = self.owned.len();
                let value = self.eval(inner, frame)?;
                self.destroy_down_to(kept)?;
                Ok(value)
            }
            _ => Err(Stop::error("this expression is not supported in host code")),
        }
    }
}

/// What to say of a function of the runtime that cannot be carried out.
fn unsupported(name: &str) -> String {
    let instead = if name.contains("Array") {
        ": arrays and textures are not, so use memory of `cudaMalloc` or `cudaMallocPitch`, and read it in the kernel"
    } else {
        ""
    };
    format!("`{name}` is not supported in host code{instead}")
}

/// Whether a statement is a label.
fn is_label(statement: &Stmt, label: u32) -> bool {
    matches!(statement, Stmt::Label(known) if *known == label)
}
