//! The grammar of opcodes: which modifiers an instruction takes, in which order.
//!
//! A form is written once, as the specification writes it, and that text is the declaration: it decides what is
//! accepted, and it is what the table of supported PTX lists. Segments are separated by dots, `(a|b)` is a choice, and
//! a trailing `?` makes a segment optional:
//!
//! ```text
//! setp.(eq|ne|lt|le|gt|ge).(and|or|xor)?.(u32|s32)
//! ```
//!
//! Where many forms have the same choice, a name such as `<scope>` stands for it (`SETS`), as in the specification.
//!
//! Modifiers that only control caches are listed like all others, so nothing is silently ignored.
//!
//! The specification writes modifiers in one order, and the assembler takes them in any: `div.ftz.rn.f32` is
//! `div.rn.ftz.f32`, and `fence.gpu.sc` is `fence.sc.gpu`. Two things keep their place, also in [`Syntax`]: the parts
//! of the name (`mul.lo`, `cvta.to`, `bar.red`: `NAME_PARTS`), and the order of types among themselves, because
//! `cvt.f32.s32` and `cvt.s32.f32` differ. A modifier that occurs twice is refused.

use crate::ptx::ast::Type;

/// The modifiers of an opcode, by the segment of the form that matched them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modifiers<'t> {
    parts: Vec<Option<&'t str>>,
}

impl<'t> Modifiers<'t> {
    /// The text that segment `index` matched, where 0 is the mnemonic; empty if the segment was left out.
    pub fn text(&self, index: usize) -> &'t str {
        self.parts.get(index).copied().flatten().unwrap_or("")
    }

    /// Whether the optional segment `index` is there.
    pub fn has(&self, index: usize) -> bool {
        self.parts.get(index).is_some_and(Option::is_some)
    }

    /// The texts of the segments that are present, in order.
    pub fn words(&self) -> impl DoubleEndedIterator<Item = &'t str> + '_ {
        self.parts.iter().copied().flatten()
    }

    /// Whether a word is among them.
    pub fn says(&self, word: &str) -> bool {
        self.words().any(|known| known == word)
    }

    /// The meaning of the first of them that `meanings` lists.
    pub fn meaning<T: Copy>(&self, meanings: &[(&str, T)]) -> Option<T> {
        let listed = |word| meanings.iter().find(|(known, _)| *known == word);
        self.words().find_map(listed).map(|(_, meaning)| *meaning)
    }

    /// Segment `index` read as a type. The form's grammar lists only types there.
    pub fn ty(&self, index: usize) -> Type {
        parse_type(self.text(index)).expect("the form's grammar lists only types here")
    }
}

/// The type that a modifier names, without its dot.
pub fn parse_type(text: &str) -> Option<Type> {
    Type::named(text).filter(|ty| !ty.is_opaque())
}

/// The choices that have a name. The table of supported PTX and messages write them out.
pub(super) const SETS: [(&str, &str); 12] = [
    ("<order>", "(relaxed|acquire|release|acq_rel)"),
    ("<scope>", "(cta|cluster|gpu|sys)"),
    ("<shared>", "(shared|shared::cta)"),
    ("<space>", "(global|shared|shared::cta|shared::cluster)"),
    ("<L1>", "(L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate)"),
    ("<L2>", "(L2::64B|L2::128B|L2::256B)"),
    ("<vector>", "(v2|v4)"),
    ("<type>", "(b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64)"),
    (
        "<m64nNk8>",
        "(m64n8k8|m64n16k8|m64n24k8|m64n32k8|m64n40k8|m64n48k8|m64n56k8|m64n64k8|m64n72k8|m64n80k8|m64n88k8|\
         m64n96k8|m64n104k8|m64n112k8|m64n120k8|m64n128k8|m64n136k8|m64n144k8|m64n152k8|m64n160k8|m64n168k8|\
         m64n176k8|m64n184k8|m64n192k8|m64n200k8|m64n208k8|m64n216k8|m64n224k8|m64n232k8|m64n240k8|m64n248k8|\
         m64n256k8)",
    ),
    (
        "<m64nNk16>",
        "(m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|m64n72k16|m64n80k16|\
         m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|m64n136k16|m64n144k16|m64n152k16|\
         m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|m64n200k16|m64n208k16|m64n216k16|m64n224k16|\
         m64n232k16|m64n240k16|m64n248k16|m64n256k16)",
    ),
    (
        "<m64nNk32>",
        "(m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|m64n72k32|m64n80k32|\
         m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|m64n136k32|m64n144k32|m64n152k32|\
         m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|m64n200k32|m64n208k32|m64n216k32|m64n224k32|\
         m64n232k32|m64n240k32|m64n248k32|m64n256k32)",
    ),
    (
        "<m64nNk32int>",
        "(m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n48k32|m64n64k32|m64n80k32|m64n96k32|m64n112k32|\
         m64n128k32|m64n144k32|m64n160k32|m64n176k32|m64n192k32|m64n208k32|m64n224k32|m64n240k32|m64n256k32)",
    ),
];

/// Words that belong to an instruction's name if they follow it: the assembler accepts them only there.
const NAME_PARTS: [&str; 34] = [
    "hi",
    "lo",
    "wide",
    "l",
    "r",
    "to",
    "pack",
    "idx",
    "warp",
    "cta",
    "cluster",
    "wait",
    "arrive",
    "red",
    "init",
    "inval",
    "arrive_drop",
    "expect_tx",
    "complete_tx",
    "test_wait",
    "try_wait",
    "parity",
    "pending_count",
    "async",
    "mbarrier",
    "bulk",
    "reduce",
    "prefetch",
    "proxy",
    "tensor",
    "mma_async",
    "fence",
    "commit_group",
    "wait_group",
];

/// Types that no register has.
const NARROW_TYPES: [&str; 9] = ["tf32", "u4", "s4", "u2", "s2", "e4m3", "e5m2", "e4m3x2", "e5m2x2"];

/// Whether a modifier names a type.
pub fn is_type(word: &str) -> bool {
    parse_type(word).is_some() || NARROW_TYPES.contains(&word)
}

/// The parsed syntax of a form.
#[derive(Clone, Debug)]
pub struct Syntax<'s> {
    segments: Vec<Segment<'s>>,
    /// How many segments belong to the name, including the mnemonic.
    name_parts: usize,
}

#[derive(Clone, Debug)]
struct Segment<'s> {
    choices: Vec<&'s str>,
    is_optional: bool,
}

impl<'s> Syntax<'s> {
    /// Parses a syntax.
    pub fn new(syntax: &'s str) -> Syntax<'s> {
        let segment =
            |text: &'s str| Segment { choices: choices(text).collect(), is_optional: text.ends_with('?') };
        let segments: Vec<_> = syntax.split('.').map(segment).collect();
        let is_name = |segment: &&Segment<'_>| segment.choices.iter().all(|word| NAME_PARTS.contains(word));
        let name_parts = 1 + segments.iter().skip(1).take_while(is_name).count();
        Syntax { segments, name_parts }
    }

    /// Matches an opcode: the parts of the name in their places, then modifiers in any order.
    pub fn matches<'t>(&self, opcode: &'t str) -> Option<Modifiers<'t>> {
        let mut parts = vec![None; self.segments.len()];
        let mut words = opcode.split('.').peekable();
        for (part, segment) in parts.iter_mut().zip(&self.segments).take(self.name_parts) {
            *part = words.next_if(|word| segment.choices.contains(word));
        }
        // Types have the order of the form, so each is looked for after the last one found.
        let mut after_last_type = self.name_parts;
        for word in words {
            let first = if is_type(word) { after_last_type } else { self.name_parts };
            let is_place = |&at: &usize| parts[at].is_none() && self.segments[at].choices.contains(&word);
            let place = (first..parts.len()).find(is_place)?;
            parts[place] = Some(word);
            if is_type(word) {
                after_last_type = place + 1;
            }
        }
        let mut filled = parts.iter().zip(&self.segments);
        filled.all(|(part, segment)| part.is_some() || segment.is_optional).then_some(Modifiers { parts })
    }
}

impl Syntax<'_> {
    /// How many words of an opcode occur anywhere in the form.
    pub fn common(&self, opcode: &str) -> usize {
        let listed = |word: &&str| self.segments.iter().any(|segment| segment.choices.contains(word));
        opcode.split('.').filter(listed).count()
    }
}

/// Matches an opcode against a form's syntax.
pub fn matches<'t>(syntax: &str, opcode: &'t str) -> Option<Modifiers<'t>> {
    Syntax::new(syntax).matches(opcode)
}

fn choices(segment: &str) -> impl Iterator<Item = &str> {
    let segment = segment.trim_end_matches('?');
    let set = SETS.iter().find(|(name, _)| *name == segment).map_or(segment, |(_, set)| set);
    set.trim_start_matches('(').trim_end_matches(')').split('|')
}

/// Every opcode that a form's syntax accepts, in the order of its choices.
pub fn expand(syntax: &str) -> Vec<String> {
    let mut segments = syntax.split('.');
    let mnemonic = segments.next().unwrap_or_default().to_string();
    segments.fold(vec![mnemonic], |opcodes, segment| {
        let left_out = segment.ends_with('?').then(String::new);
        let words = choices(segment).map(|word| format!(".{word}"));
        let words: Vec<String> = left_out.into_iter().chain(words).collect();
        opcodes.iter().flat_map(|opcode| words.iter().map(move |word| format!("{opcode}{word}"))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_left_out_is_empty() {
        let modifiers = matches("add.sat?.(s32|f32)", "add.s32").unwrap();
        assert_eq!((modifiers.has(1), modifiers.ty(2)), (false, Type::S32));
        assert!(matches("add.sat?.(s32|f32)", "add.sat.f32").unwrap().has(1));
        assert_eq!(matches("add.sat?.(s32|f32)", "add.sat"), None);
        assert_eq!(matches("add.sat?.(s32|f32)", "add.u32"), None);
    }

    #[test]
    fn what_is_expanded_matches() {
        let syntax = "setp.(eq|ne).(and|or)?.ftz?.f32";
        let opcodes = expand(syntax);
        assert_eq!(opcodes.len(), 2 * 3 * 2);
        assert!(opcodes.iter().all(|opcode| matches(syntax, opcode).is_some()));
    }

    /// An opcode, and whether the assembler accepts it: each was tried with `ptxas` of CUDA 12.9.
    fn check(syntax: &str, opcode: &str, is_taken: bool) {
        assert_eq!(matches(syntax, opcode).is_some(), is_taken, "`{opcode}`");
    }

    #[test]
    fn modifiers_come_in_any_order_and_once() {
        let add = "add.(rn|rz|rm|rp)?.ftz?.sat?.f32";
        for opcode in ["add.rn.ftz.sat.f32", "add.sat.ftz.rn.f32", "add.f32.sat", "add.ftz.f32.rz"] {
            check(add, opcode, true);
        }
        for opcode in ["add.rn.rn.f32", "add.rn.rz.f32", "add.ftz.ftz.f32", "add.f32.f32", "f32.add", "add"] {
            check(add, opcode, false);
        }
        check("ld.(global|shared)?.(ca|cg)?.nc.(v2|v4)?.(u32|f32)", "ld.global.nc.cg.f32", true);
        check("fence.(sc|acq_rel)?.(cta|cluster|gpu|sys)", "fence.gpu.sc", true);
        let modifiers = matches(add, "add.f32.sat.rp").unwrap();
        assert_eq!([modifiers.text(1), modifiers.text(3), modifiers.text(4)], ["rp", "sat", "f32"]);
    }

    #[test]
    fn types_keep_their_order() {
        let syntax = "set.(eq|ne).(and|or)?.(u32|f32).(f32|s32)";
        let modifiers = matches(syntax, "set.f32.eq.s32").unwrap();
        assert_eq!((modifiers.ty(3), modifiers.ty(4)), (Type::F32, Type::S32));
        check(syntax, "set.s32.eq.f32", false);
        check(syntax, "set.f32.f32.and.ne", true);
        check("cvt.(rn|rz).(f16|f32).(s32|u32)", "cvt.f32.rn.s32", true);
        check("cvt.(rn|rz).(f16|f32).(s32|u32)", "cvt.rn.s32.f32", false);
    }

    #[test]
    fn parts_of_a_name_keep_their_place() {
        check("mad.(hi|lo).cc.(u32|s32)", "mad.lo.u32.cc", true);
        check("mad.(hi|lo).cc.(u32|s32)", "mad.cc.lo.u32", false);
        check("mul.(hi|lo).(u32|s32)", "mul.u32.lo", false);
        check("shf.(l|r).(clamp|wrap).b32", "shf.l.b32.wrap", true);
        check("shf.(l|r).(clamp|wrap).b32", "shf.clamp.l.b32", false);
        check("cvta.to.(global|shared).u64", "cvta.to.u64.global", true);
        check("cvta.to.(global|shared).u64", "cvta.global.to.u64", false);
        check("barrier.cta?.sync.aligned?", "barrier.cta.aligned.sync", true);
        check("barrier.cta?.sync.aligned?", "barrier.sync.cta", false);
        check("bar.cta?.red.popc.u32", "bar.red.u32.popc", true);
        check("bar.cta?.red.popc.u32", "bar.popc.red.u32", false);
        check("bar.warp.sync", "bar.sync.warp", false);
        check("mbarrier.(arrive|arrive_drop).(shared)?.b64", "mbarrier.arrive.b64.shared", true);
        check("mbarrier.(arrive|arrive_drop).(shared)?.b64", "mbarrier.shared.arrive.b64", false);
    }
}
