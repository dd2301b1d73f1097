//! Small kernels assembled from parts: cells through which lanes pass values, and loops that wait for these.
//!
//! A kernel has 64 cells, in global or in shared memory, and a result for each thread. Registers: `%r1` is the thread
//! in its block, `%r2` the lane, `%r3` the warp, `%r4` the block, `%r9` the thread in the grid; those from `%r10` and
//! from `%p1` on are free.

/// The memory of the cells, and how they are read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Global memory, volatile.
    Global,
    /// Shared memory, volatile.
    Shared,
    /// Global memory, by atomics.
    GlobalAtomic,
    /// Shared memory, by atomics.
    SharedAtomic,
    /// Global memory, read by a function of its own and through generic addresses.
    Function,
}

/// All kinds of cells.
pub const ALL_CELLS: [Cells; 5] =
    [Cells::Global, Cells::Shared, Cells::GlobalAtomic, Cells::SharedAtomic, Cells::Function];

/// A cell.
#[derive(Clone, Copy, Debug)]
pub enum At {
    /// The cell with this number.
    Word(u32),
    /// The cell with the lane's number plus this one.
    Lane(u32),
}

/// How a loop waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spin {
    /// It polls again at once.
    Plain,
    /// It sleeps between two polls, twice as long each time, up to a bound.
    Sleep,
    /// It runs an empty loop between two polls, twice as long each time, up to a bound.
    Delay,
    /// Between two polls, it runs a loop with as many iterations as the lane's number.
    Nested,
}

/// Writes the body of a kernel.
#[derive(Clone, Debug)]
pub struct Writer {
    cells: Cells,
    spin: Spin,
    labels: u32,
    body: String,
}

impl Writer {
    /// An empty body.
    pub fn new(cells: Cells, spin: Spin) -> Writer {
        Writer { cells, spin, labels: 0, body: String::new() }
    }

    /// Adds lines.
    pub fn code(&mut self, lines: &str) -> &mut Writer {
        self.body += lines;
        self.body += "\n";
        self
    }

    /// A new label.
    pub fn label(&mut self, name: &str) -> String {
        self.labels += 1;
        format!("${name}{}", self.labels)
    }

    fn is_shared(&self) -> bool {
        matches!(self.cells, Cells::Shared | Cells::SharedAtomic)
    }

    /// The space, and the address in it.
    pub fn place(&self, at: At) -> (&'static str, String) {
        match (self.is_shared(), at) {
            (true, At::Word(word)) => ("shared", format!("[%r6+{}]", 4 * word)),
            (true, At::Lane(word)) => ("shared", format!("[%r7+{}]", 4 * word)),
            (false, At::Word(word)) => ("global", format!("[%rd1+{}]", 4 * word)),
            (false, At::Lane(word)) => ("global", format!("[%rd3+{}]", 4 * word)),
        }
    }

    /// Reads a cell.
    pub fn read(&mut self, to: &str, at: At) -> &mut Writer {
        let (space, place) = self.place(at);
        let line = match self.cells {
            Cells::Global | Cells::Shared => format!("ld.volatile.{space}.u32 {to}, {place};"),
            Cells::GlobalAtomic | Cells::SharedAtomic => format!("atom.{space}.or.b32 {to}, {place}, 0;"),
            Cells::Function => {
                let (base, offset) = place.trim_matches(['[', ']']).split_once('+').expect("base and offset");
                format!(
                    "{{\n.param .b64 where;\n.param .b32 result;\nadd.s64 %rd5, {base}, {offset};\n\
                     st.param.b64 [where], %rd5;\ncall.uni (result), ask, (where);\nld.param.b32 {to}, [result];\n}}"
                )
            }
        };
        self.code(&line)
    }

    /// Writes a register or a number to a cell, after everything that the thread stored before.
    pub fn write(&mut self, at: At, from: &str) -> &mut Writer {
        let (space, place) = self.place(at);
        self.code("membar.gl;");
        let line = match self.cells {
            Cells::Global | Cells::Shared | Cells::Function => {
                format!("mov.u32 %r19, {from};\nst.volatile.{space}.u32 {place}, %r19;")
            }
            Cells::GlobalAtomic | Cells::SharedAtomic => {
                format!("atom.{space}.exch.b32 %r19, {place}, {from};")
            }
        };
        self.code(&line)
    }

    /// Waits until a cell contains a register or a number.
    pub fn wait(&mut self, at: At, wanted: &str) -> &mut Writer {
        let (again, end, delay) = (self.label("wait"), self.label("come"), self.label("delay"));
        self.code(&format!("mov.u32 %r17, 1;\n{again}:"));
        self.read("%r18", at);
        self.code(&format!("setp.eq.u32 %p7, %r18, {wanted};"));
        match self.spin {
            Spin::Plain => return self.code(&format!("@!%p7 bra {again};")),
            Spin::Sleep => self.code(&format!("@%p7 bra {end};\nnanosleep.u32 %r17;")),
            Spin::Delay | Spin::Nested => {
                let turns = if self.spin == Spin::Delay { "%r17" } else { "%r2" };
                self.code(&format!(
                    "@%p7 bra {end};\nmov.u32 %r16, 0;\n{delay}:\nadd.u32 %r16, %r16, 1;\n\
                     setp.lt.u32 %p6, %r16, {turns};\n@%p6 bra {delay};"
                ))
            }
        };
        if self.spin != Spin::Nested {
            self.code("shl.b32 %r17, %r17, 1;\nmin.u32 %r17, %r17, 64;");
        }
        self.code(&format!("bra {again};\n{end}:"))
    }

    /// A branch: `one` is for the threads for which `number` (a register) is `value`, and `other` for the rest.
    /// `one_first` says whose code comes first.
    pub fn either(
        &mut self,
        number: &str,
        value: u32,
        one_first: bool,
        one: impl Fn(&mut Writer),
        other: impl Fn(&mut Writer),
    ) -> &mut Writer {
        let (there, end) = (self.label("there"), self.label("end"));
        let guard = if one_first { "@!%p1" } else { "@%p1" };
        self.code(&format!("setp.eq.u32 %p1, {number}, {value};\n{guard} bra {there};"));
        if one_first {
            one(self);
        } else {
            other(self);
        }
        self.code(&format!("bra {end};\n{there}:"));
        if one_first {
            other(self);
        } else {
            one(self);
        }
        self.code(&format!("{end}:"))
    }

    /// Sets the thread's result.
    pub fn result(&mut self, from: &str) -> &mut Writer {
        self.code(&format!("st.global.u32 [%rd2+256], {from};"))
    }

    /// The text of the module.
    pub fn text(&self) -> String {
        format!("{HEAD}{}ret;\n}}\n", self.body)
    }
}

const HEAD: &str = "\
.version 8.0
.target sm_70
.address_size 64

.func (.param .b32 result) ask(.param .b64 where)
{
.reg .b32 %a<2>;
.reg .b64 %b<2>;
ld.param.u64 %b1, [where];
ld.volatile.u32 %a1, [%b1];
st.param.b32 [result], %a1;
ret;
}

.visible .entry kernel(.param .u64 out)
{
.reg .pred %p<8>;
.reg .b32 %r<20>;
.reg .b64 %rd<8>;
.shared .align 4 .b32 cells[64];
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
and.b32 %r2, %r1, 31;
shr.u32 %r3, %r1, 5;
mov.u32 %r4, %ctaid.x;
mov.u32 %r5, %ntid.x;
mad.lo.u32 %r9, %r4, %r5, %r1;
mul.wide.u32 %rd2, %r9, 4;
add.s64 %rd2, %rd1, %rd2;
mul.wide.u32 %rd3, %r2, 4;
add.s64 %rd3, %rd1, %rd3;
mov.u32 %r6, cells;
shl.b32 %r7, %r2, 2;
add.u32 %r7, %r6, %r7;
";
