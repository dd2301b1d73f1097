//! What the parser accepts. Its error messages are in `parser_errors.rs`.
//!
//! Each line is a behaviour: the text, and the result. Tokens, numbers and constant expressions are tested beside the
//! code.

use simt::ptx::ast::{Function, Init, Instruction, Linkage, Loc, Module, Operand, Space, Statement, Type};
use simt::ptx::parse;

const HEADER: &str = ".version 8.0\n.target sm_70\n";
const EVERYTHING: &str = include_str!("parser/everything.ptx");
const REDUCE: &str = include_str!("parser/reduce.ptx");

fn read(text: &str) -> Module<'_> {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Parses an instruction in a function of its own, and writes its operands in one notation.
fn check_operands(instruction: &str, want: &str) {
    let text = format!("{HEADER}.func f {{ {instruction} }}");
    let module = read(&text);
    let instructions = instructions(&module.functions[0]);
    let [found] = instructions.as_slice() else { panic!("{instruction}: one instruction") };
    assert_eq!(found.operands.iter().map(show).collect::<Vec<_>>().join(" , "), want, "{instruction}");
}

fn show(operand: &Operand<'_>) -> String {
    let joined = |items: &[Operand<'_>]| items.iter().map(show).collect::<Vec<_>>().join(" ");
    match operand {
        Operand::Name(name) => name.text.to_owned(),
        Operand::Not(name) => format!("not {}", name.text),
        Operand::Sink(_) => "sink".to_owned(),
        Operand::Int(bits, _) => format!("{}", *bits as i64),
        Operand::F32(bits, _) => format!("f32:{bits:08X}"),
        Operand::F64(bits, _) => format!("f64:{}", f64::from_bits(*bits)),
        Operand::Offset(name, offset) => format!("{} plus {offset}", name.text),
        Operand::Address { base: Some(base), offset, .. } => format!("at {} plus {offset}", base.text),
        Operand::Address { base: None, offset, .. } => format!("at {offset}"),
        Operand::Vector(items, _) => format!("vector<{}>", joined(items)),
        Operand::Pair(first, second) => format!("pair<{} {}>", show(first), show(second)),
        Operand::List(items, _) => format!("list<{}>", joined(items)),
        Operand::Element(name, index) => format!("{} element {index}", name.text),
        Operand::Part(name, part) => format!("{} part {part}", name.text),
        Operand::Tensor { .. } => "texture".to_owned(),
    }
}

fn instructions<'m, 't>(function: &'m Function<'t>) -> Vec<&'m Instruction<'t>> {
    fn collect<'m, 't>(statements: &'m [Statement<'t>], found: &mut Vec<&'m Instruction<'t>>) {
        for statement in statements {
            match statement {
                Statement::Instruction(instruction) => found.push(instruction),
                Statement::Block(block) => collect(&block.statements, found),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    let statements = function.body.as_ref().map_or(&[][..], |body| &body.statements);
    collect(statements, &mut found);
    found
}

#[test]
fn every_kind_of_operand() {
    check_operands("ret;", "");
    check_operands("mov.u32 %r1, %tid.x;", "%r1 , %tid.x");
    check_operands("mov.u64 %SPL, __local_depot0;", "%SPL , __local_depot0");
    check_operands("bra $L__BB0_1;", "$L__BB0_1");
    check_operands("setp.lt.s32 %p1|%p2, %r1, -8, !%p3;", "pair<%p1 %p2> , %r1 , -8 , not %p3");
    check_operands("shfl.sync.idx.b32 _|%p1, 1, 2;", "pair<sink %p1> , 1 , 2");
    check_operands("mov.f32 %f1, 0fBF800000;", "%f1 , f32:BF800000");
    check_operands("mov.f32 %f1, -0f3F800000;", "%f1 , f32:BF800000");
    check_operands("mov.f64 %fd1, 0d3FF8000000000000, -2.5e1;", "%fd1 , f64:1.5 , f64:-25");
    check_operands("mov.u32 %r1, 0xFFFFFFFF;", "%r1 , 4294967295");
    check_operands("mov.u32 %r1, (1+2)*3, WARP_SZ, !0;", "%r1 , 9 , 32 , 1");
    check_operands("mov.u64 %rd1, table+4, table+-4;", "%rd1 , table plus 4 , table plus -4");
    check_operands("ld.u32 %r1, [%rd1];", "%r1 , at %rd1 plus 0");
    check_operands(
        "ld.u32 [%rd1+-8], [%rd1 + 4], [%rd1+2*4];",
        "at %rd1 plus -8 , at %rd1 plus 4 , at %rd1 plus 8",
    );
    check_operands("ld.u32 [table+4*8], [16], [-4];", "at table plus 32 , at 16 , at -4");
    check_operands("ld.v4.f32 {%f1, %f2, _, 1}, [x];", "vector<%f1 %f2 sink 1> , at x plus 0");
    check_operands("vadd.u32.u32.u32 %r1, %r2.b0, %r3.h1;", "%r1 , %r2.b0 , %r3.h1");
}

#[test]
fn calls_keep_their_written_order() {
    check_operands("call.uni (retval0), f, (param0, 1), p;", "list<retval0> , f , list<param0 1> , p");
    check_operands("call f;", "f");
    check_operands("call (r), %rd1, ();", "list<r> , %rd1 , list<>");
    check_operands("call.uni f, (a);", "f , list<a>");
}

#[test]
fn guards() {
    let text = format!("{HEADER}.func f {{ @%p1 ret; @!%p2 ret; ret; }}");
    let module = read(&text);
    let guards: Vec<_> = instructions(&module.functions[0])
        .iter()
        .map(|i| i.guard.map(|g| (g.register.text, g.negated)))
        .collect();
    assert_eq!(guards, [Some(("%p1", false)), Some(("%p2", true)), None]);
}

#[test]
fn the_header_of_a_module() {
    let module = read(EVERYTHING);
    assert_eq!(module.version, (8, 0));
    assert_eq!((module.target.sm, module.target.debug, module.address_size), (70, true, 64));
    let files: Vec<_> = module.files.iter().map(|file| (file.index, file.name)).collect();
    assert_eq!(files, [(1, "kernel.cu"), (2, "/usr/include/cooperative_groups.h")]);
    assert_eq!((module.aliases[0].name.text, module.aliases[0].function.text), ("nickname", "helper"));
    assert_eq!(read(".version 8.0\n.target sm_90a\n\0").target.sm, 90);
}

/// The initial values of the variable that `declaration` declares.
fn check_initial(declaration: &str, want: &[Init<'_>]) {
    let text = format!("{HEADER}{declaration}");
    assert_eq!(read(&text).variables[0].init.as_deref(), Some(want), "{declaration}");
}

#[test]
fn initial_values_are_in_the_order_of_memory() {
    use Init::{Float, Int};
    check_initial(".global .u32 x = -1;", &[Int(u64::MAX)]);
    check_initial(".global .b8 x[4] = {1, 0xFF,};", &[Int(1), Int(255)]);
    check_initial(".global .f32 x = 0f3F000000;", &[Float(0.5)]);
    check_initial(".global .u32 x[2][2] = {{1}, {2, 3}};", &[Int(1), Int(0), Int(2), Int(3)]);
    check_initial(".global .u32 x[][2] = {{1}, {2}};", &[Int(1), Int(0), Int(2), Int(0)]);
    check_initial(
        ".global .v2 .f32 x[2] = {{1.0}, {2.0, 3.0}};",
        &[Float(1.0), Int(0), Float(2.0), Float(3.0)],
    );
}

#[test]
fn initial_addresses() {
    let text = format!("{HEADER}.global .u64 x[] = {{generic(y)+4, y+-8, y}};");
    let module = read(&text);
    let values = module.variables[0].init.iter().flatten().map(|value| match value {
        Init::Address { name, offset, generic } => (name.text, *offset, *generic),
        other => panic!("{other:?}"),
    });
    assert_eq!(values.collect::<Vec<_>>(), [("y", 4, true), ("y", -8, false), ("y", 0, false)]);
}

#[test]
fn declarations() {
    let module = read(EVERYTHING);
    let variable = |name| module.variables.iter().find(|v| v.name.text == name).expect(name);
    let dynamic = variable("dynamic");
    assert_eq!((dynamic.linkage, dynamic.space, dynamic.align), (Linkage::Extern, Space::Shared, 16));
    assert_eq!((dynamic.ty, dynamic.dims.as_slice()), (Type::B8, [None].as_slice()));
    let vectors = variable("vectors");
    assert_eq!((vectors.vector, vectors.align, vectors.dims.as_slice()), (4, 16, [Some(2)].as_slice()));
    assert_eq!(variable("doubles").dims, [Some(2), Some(3)]);
    assert_eq!((variable("first").init.is_some(), variable("second").init.is_some()), (true, false));
    assert_eq!((variable("third").dims.as_slice(), variable("third").align), ([Some(2)].as_slice(), 8));
}

#[test]
fn functions_and_what_they_declare() {
    let module = read(EVERYTHING);
    let names: Vec<_> =
        module.functions.iter().map(|f| (f.name.text, f.is_entry, f.body.is_some())).collect();
    let want = [
        ("vprintf", false, false),
        ("helper", false, false),
        ("_Z4trapv", false, false),
        ("kernel", true, true),
        ("_Z4trapv", false, true),
    ];
    assert_eq!(names, want);
    let kernel = &module.functions[3];
    assert_eq!(kernel.params.iter().map(|p| p.align).collect::<Vec<_>>(), [8, 8, 4]);
    assert_eq!(
        kernel.bounds,
        [(".maxntid", vec![128, 1, 1]), (".minnctapersm", vec![2]), (".maxnreg", vec![64])]
    );
    assert_eq!(module.functions[2].bounds, [(".noreturn", vec![])]);
    let body = kernel.body.as_ref().expect("a kernel has a body");
    let registers: Vec<_> = body.registers.iter().map(|r| (r.name.text, r.count)).collect();
    assert_eq!(
        registers,
        [("%SP", None), ("%SPL", None), ("%p", Some(3)), ("%r", Some(12)), ("%f", Some(9))]
    );
    assert_eq!(body.variables[1].dims, [Some(128)]);
}

#[test]
fn labels_lists_and_prototypes() {
    let module = read(EVERYTHING);
    let body = module.functions[3].body.as_ref().expect("a kernel has a body");
    let named = body.statements.iter().filter_map(|statement| match statement {
        Statement::Label(name) => Some((name.text, 0)),
        Statement::Targets { name, targets } => Some((name.text, targets.len())),
        Statement::Prototype { name, returns, params } => {
            Some((name.text, 10 * returns.len() + params.len()))
        }
        Statement::Instruction(_) | Statement::Block(_) => None,
    });
    let named: Vec<_> = named.collect();
    assert_eq!(
        named,
        [("$L__begin", 0), ("prototype_0", 12), ("targets", 2), ("callees", 2), ("$L__BB0_2", 0)]
    );
}

#[test]
fn an_instruction_knows_its_cuda_line() {
    let module = read(EVERYTHING);
    let found = instructions(&module.functions[3]);
    let line = |opcode: &str| {
        let loc = found.iter().find(|i| i.opcode.text == opcode).and_then(|i| i.loc);
        let calls =
            |loc: Loc| loc.calls(&module.calls).map(|call| (call.file, call.line)).collect::<Vec<_>>();
        loc.map(|loc| (loc.file, loc.line, loc.column, calls(loc)))
    };
    assert_eq!(line("setp.lt.and.s32"), Some((1, 8, 14, vec![])));
    assert_eq!(line("ld.global.L2::128B.v4.f32"), Some((2, 982, 35, vec![(1, 11)])));
    assert_eq!(line("shfl.sync.down.b32"), Some((2, 327, 44, vec![(2, 982), (1, 11)])));
    assert_eq!(instructions(&module.functions[4])[0].loc, None, "a line ends with its function");
}

/// Checks that the span of each instruction is the text from its guard or opcode to its semicolon.
fn check_spans(text: &str) -> usize {
    let module = read(text);
    let found: Vec<_> = module.functions.iter().flat_map(instructions).collect();
    for instruction in &found {
        let slice = |span: simt::ptx::Span| &text[span.start as usize..span.end as usize];
        let whole = slice(instruction.span);
        let start = if instruction.guard.is_some() { "@" } else { instruction.opcode.text };
        assert!(whole.starts_with(start) && whole.ends_with(';'), "{whole}");
        assert_eq!(whole.matches(';').count(), 1, "{whole}");
        assert_eq!(slice(instruction.opcode.span), instruction.opcode.text);
    }
    found.len()
}

#[test]
fn spans_lead_back_to_the_text() {
    assert_eq!(check_spans(EVERYTHING), 21);
    assert_eq!(check_spans(REDUCE), 30);
}

#[test]
fn every_kernel_of_the_book_is_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/ptx");
    let paths =
        std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path());
    for path in paths.filter(|path| path.extension().is_some_and(|extension| extension == "ptx")) {
        let text = std::fs::read_to_string(&path).expect("a file of text");
        assert!(check_spans(&text) > 0, "{}: no instruction", path.display());
    }
}
