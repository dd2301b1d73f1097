//! What one compilation may use: how deep its text may nest, and how much may come of it.
//!
//! Every bound is a row of [`LIMITS`]. None of them is a time, because this crate reads no clock: what takes time or
//! memory is counted where it is made. Going past a bound ends the compilation with one error, which names the bound.
//! From then on everything fails, attempts included ([`Sink`](super::Sink) reports this error in place of theirs), so
//! that no caller has to tell it from a mistake that it may ignore. The counts belong to the thread, for the reason that
//! [`error`] gives, and [`start`] begins anew.

use std::cell::Cell;

use super::{Failed, Result, Span, error};

/// A bound, and its row in [`LIMITS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Expressions in expressions, statements in statements, types in types, and whatever is in braces. All are
    /// recursive in `parse`, `check` and `lower`, and no text may overflow the stack, which is small in a web page.
    Nesting,
    /// The depth of an expression's tree, which operators in a row make deep without nesting. The parser reads them in a
    /// loop, but the stages after it go through the tree recursively.
    Operators,
    /// Headers in headers, macros in macros and in their arguments, conditions in conditions and what is in parentheses
    /// in one.
    Directives,
    /// Files that are included.
    Files,
    /// Templates in templates, and functions whose result is deduced from others: `check` makes the inner one first.
    Templates,
    /// All that is recursive in the stages after the parser, which go from one function into another: expressions in
    /// expressions, statements in statements, calls in calls.
    Stack,
    /// Types in a type, when their names are resolved: the members of members, the arguments of a template's arguments.
    Types,
    /// Tokens of a text after its macros are expanded, and those on the way there. Macros that use each other twice
    /// double with each level.
    Tokens,
    /// Bytes that `#` and `##` make, for the same reason, and bytes of variables with values.
    Bytes,
    /// Functions and types made from templates. A template can name itself with ever larger arguments, so depth alone
    /// does not bound the work.
    Instances,
    /// Bytes in the names of types from templates, each of which contains those of its arguments.
    Names,
    /// Steps of constant evaluation, in all constant expressions together.
    Constants,
    /// Values that initialisers give, written or implied.
    Values,
    /// Instructions of all kernels, before anything is removed.
    Instructions,
    /// Everything else that takes time: tokens that are read, also those that are read again; names that are looked
    /// for; functions that are compared with a call. A unit is a few nanoseconds.
    Work,
}

/// The largest amount, what it is an amount of, and what to do about it.
struct Limit(u32, &'static str, &'static str);

const DEEP: &str = "give the inner parts names of their own";
const LONG: &str = "split the text, or make it simpler";
const MACRO: &str = "let the macros make less, or split the text";

/// In the order of [`Bound`].
const LIMITS: [Limit; 15] = [
    Limit(100, "levels of nesting", DEEP),
    Limit(250, "operators deep in one expression", DEEP),
    Limit(64, "headers, macros or conditions in each other", "take the inner ones out"),
    Limit(1000, "files that are included", "include fewer"),
    Limit(64, "templates and deduced types in each other", "end the recursion earlier"),
    Limit(1000, "expressions, statements and calls in each other", DEEP),
    Limit(128, "types in each other", DEEP),
    Limit(2_000_000, "tokens when macros are expanded", MACRO),
    Limit(
        4 << 20,
        "bytes made by `#`, `##` and initialisers",
        "write shorter names, or let a kernel write the values",
    ),
    Limit(10_000, "functions and types made from templates", "use fewer different arguments"),
    Limit(4 << 20, "bytes in the names of types", "use templates with fewer or shorter arguments"),
    Limit(4_000_000, "steps to evaluate constants", "compute less before the program runs"),
    Limit(1_000_000, "values in initialisers", "let a kernel or the host write the values"),
    Limit(1_500_000, "instructions in all kernels", "unroll less, or split the text"),
    Limit(40_000_000, "steps to compile this", LONG),
];

thread_local! {
    static USED: [Cell<u32>; LIMITS.len()] = const { [const { Cell::new(0) }; LIMITS.len()] };
    /// How much of [`Bound::Stack`] is in use.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// The bound that was passed, and where.
    static PASSED: Cell<Option<(Bound, Span)>> = const { Cell::new(None) };
}

/// Forgets what was used before.
pub(crate) fn start() {
    USED.with(|used| used.iter().for_each(|count| count.set(0)));
    PASSED.set(None);
    DEPTH.set(0);
}

/// Whether a bound was passed.
pub(crate) fn is_passed() -> bool {
    PASSED.get().is_some()
}

/// The error about the bound that was passed.
pub(crate) fn passed() -> Option<Failed> {
    let (bound, span) = PASSED.get()?;
    let Limit(most, what, help) = LIMITS[bound as usize];
    Some(error(span, format_args!("this needs more than {most} {what}")).with_help(help))
}

/// Fails if an amount is above a bound, or if another one was passed already.
pub(crate) fn reach(bound: Bound, amount: usize, span: Span) -> Result<()> {
    if may_reach(bound, amount, span) { Ok(()) } else { passed().map_or(Ok(()), Err) }
}

/// The same where nothing can fail: whether it is not too much yet. Who asks stops, and the error is reported later.
pub(crate) fn may_reach(bound: Bound, amount: usize, span: Span) -> bool {
    let is_too_much = amount > LIMITS[bound as usize].0 as usize;
    match PASSED.get() {
        None if !is_too_much => return true,
        None => PASSED.set(Some((bound, span))),
        // Where the first count that went too far did not know its place, the next one does.
        Some((bound, Span(0))) => PASSED.set(Some((bound, span))),
        Some(_) => {}
    }
    false
}

/// Uses so much more, and fails if that is too much.
pub(crate) fn spend(bound: Bound, amount: usize, span: Span) -> Result<()> {
    reach(bound, add(bound, amount), span)
}

/// The same where nothing can fail, as in [`may_reach`].
pub(crate) fn may_spend(bound: Bound, amount: usize) -> bool {
    may_reach(bound, add(bound, amount), Span::default())
}

/// Works so much more; whether it is not too much yet.
pub(crate) fn work(amount: usize) -> bool {
    may_spend(Bound::Work, amount)
}

/// Does something that may contain itself.
pub(crate) fn deeper<T>(span: Span, inner: impl FnOnce() -> Result<T>) -> Result<T> {
    let depth = DEPTH.get() + 1;
    reach(Bound::Stack, depth, span)?;
    DEPTH.set(depth);
    let result = inner();
    DEPTH.set(depth - 1);
    result
}

fn add(bound: Bound, amount: usize) -> usize {
    USED.with(|used| {
        let count = &used[bound as usize];
        count.set(count.get().saturating_add(u32::try_from(amount).unwrap_or(u32::MAX)));
        count.get() as usize
    })
}
