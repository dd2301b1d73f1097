//! The habits as data: how to recognise each, what to write instead, and a sentence before and after its correction.
//!
//! A pattern belongs here only if nearly all of its matches are wrong. Whatever only a person can notice is left out:
//! inversions, riddles, sentences without a reason.

/// A habit.
pub struct Habit {
    /// A regular expression that finds it, in upper or lower case.
    pub pattern: &'static str,
    /// What to write instead.
    pub advice: &'static str,
    /// A sentence with the habit, and the corrected sentence. The tests read them.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "an example for whoever reads the table, and a test's data")
    )]
    pub example: (&'static str, &'static str),
}

/// Things about which some texts write as if they were persons.
macro_rules! things {
    () => {
        r"(?:lanes?|threads?|warps?|blocks?|halves|groups?|kernels?|compilers?|emulators?|checkers?|GPUs?|loads?|stores?)"
    };
}

/// Words for persons, which a lane is not.
macro_rules! anyone {
    () => {
        "(?:nobody|everybody|somebody|anybody)"
    };
}

/// Habits of sentences. Prose, headings and captions are searched for them.
pub const HABITS: &[Habit] = &[
    Habit {
        pattern: r"\bin\s+vain\b",
        advice: "say that it had no effect, or did not succeed",
        example: ("The warp waits in vain.", "The warp waits without success."),
    },
    Habit {
        pattern: r"\bdear(?:er|est)?\b",
        advice: "say `expensive`",
        example: ("Atomics are dearer.", "Atomics are more expensive."),
    },
    Habit {
        pattern: r"\bmend(?:s|ed|ing)?\b",
        advice: "say `fix` or `correct`",
        example: ("A barrier mends it.", "A barrier fixes it."),
    },
    Habit {
        pattern: concat!(r"\b", things!(), r"\s*,?\s+who\b|\bwhoever\b"),
        advice: "things are not persons: `which`, `that`, `the thread that`",
        example: ("Each lane who votes gets the mask.", "Each lane that votes gets the mask."),
    },
    Habit {
        pattern: r"(?:^|[.:;]\s+)(?-i:Who)\s[^?.]*\.",
        advice: "a statement does not begin with `who`: `the thread that`, `a reader who`",
        example: ("Who participates is said by the mask.", "Who participates? The mask names the lanes."),
    },
    Habit {
        pattern: concat!(
            r"\b",
            anyone!(),
            r"\s+(?:else\s+)?(?:waits|walks|learns|stores|loads|reads|writes|wrote|executes|arrives|reach(?:es|ed)|uses)\b",
            r"|\bwait(?:s|ing)?\s+for\s+",
            anyone!(),
            r"\b"
        ),
        advice: "a lane or a thread is not a person: `no thread`, `every lane`, `another warp`",
        example: ("A fence waits for nobody.", "A fence waits for no thread."),
    },
    Habit {
        pattern: r"\b(?:he|his|him)\b",
        advice: "`it` for a thread, `they` for a reader",
        example: (
            "The owner leaves, and a thread waits for him.",
            "The owner leaves, and a thread waits for it.",
        ),
    },
    Habit {
        pattern: concat!(
            r"\bparted\b|\b(?:lanes?|warps?|threads?|halves|groups)\s+parts?\b",
            r"|\bparts\s+(?:a|no|its|the|every|all)\s+(?:warp|lane)s?\b"
        ),
        advice: "say `diverge`",
        example: ("The guard parts no warp.", "No warp diverges at the guard."),
    },
    Habit {
        pattern: r"\bbehind\s+(?:it|that|this|them|the|its|each|a|an|all)\b",
        advice: "of time and of the order of a program say `after`, of the end of an array `past`",
        example: ("The code behind the loop is shared.", "The code after the loop is shared."),
    },
    Habit {
        pattern: r"\bgo(?:es|ing)?\s+(?:on|round)\b|\bgets?\s+on\b",
        advice: "say `continue`, of a loop `iterate`",
        example: ("The other lanes go on.", "The other lanes continue."),
    },
    Habit {
        pattern: r"\b(?:stands?|stood)\s+(?:in|at|on|behind|before|below|above|beside|between|under|alone|here|there)\b",
        advice: "say `is` or `appears`",
        example: ("The sum stands in lane 0.", "The sum is in lane 0."),
    },
    Habit {
        pattern: concat!(
            r"\b(?:it|that|this|which|they|these|those|alone|\w*[a-df-z]|\w*[a-qs-z]e)\s+(?:is|are)\s+no\s+",
            r"(?:multiple|power|proof|race|order|branch|lock|barrier|fence|store|load|number|failure|matter|time|part|remedy)s?\b"
        ),
        advice: "say `is not a …`",
        example: (
            "A length that is no power of two",
            "A length that is not a power of two, where there is no race",
        ),
    },
    Habit {
        pattern: r"\b(?:it|that|this|which|they|these|those|\w+s)\s+(?:is|are|was|were)\s+none\b",
        advice: "repeat the noun: `is not a …`",
        example: ("Votes are none.", "Votes are not barriers, and there are none here."),
    },
    Habit {
        pattern: r"\b(?:forbids?|allows?|permits?|enables?)\s+to\s+[a-z]+",
        advice: "name who may: `allows a lane to …`, or `allows …ing`",
        example: ("The rule allows to leave early.", "The rule allows a lane to leave early."),
    },
    Habit {
        pattern: r"\bha(?:s|ve|d)\s+not\s+(?:got|either)\b",
        advice: "say `has no …`, `nor has …`",
        example: ("It has not got a parameter.", "It has no parameter."),
    },
    Habit {
        pattern: r"\bwhat(?:ever)?\s+(?:can\s+)?(?:comes?|came)\s+of\b|\b(?:comes|came)\s+of\s+it\b",
        advice: "say `what happens`, `the result`",
        example: ("See what comes of it.", "See what happens."),
    },
    Habit {
        pattern: r"\bturns?\s+of\s+(?:the|its|a|an|this|that|each)\s+loops?\b",
        advice: "say `iteration`",
        example: ("In one turn of the loop", "In one iteration of the loop"),
    },
    Habit {
        pattern: r"\bless\s+(?:lanes|threads|warps|blocks|instructions|sectors|requests|branches|bytes|words|elements|launches|registers|stores|loads|rounds)\b",
        advice: "of things that are counted say `fewer`",
        example: ("It needs less sectors.", "It needs fewer sectors."),
    },
    Habit {
        pattern: r"\b(?:advices|informations|hardwares|softwares)\b|\bhow\s+(?:\w+\s+){1,4}looks?\s+like\b|\bexplains?\s+(?:me|you|us)\b",
        advice: "this is not English: `advice`, `what it looks like`, `explains to you`",
        example: ("That is how it looks like.", "That is what it looks like."),
    },
    Habit {
        pattern: concat!(
            r"\b(?:behavior|color(?:s|ed|ing)?|favor(?:s|ed)?|neighbor(?:s|ed|ing)?",
            r"|(?:un|re|de)?(?:optimi|synchroni|initiali|paralleli|generali|organi|recogni|seriali|minimi|maximi|normali|vectori|summari|reali|utili)z\w+)\b"
        ),
        advice: "the book is in British English: `behaviour`, `optimise`",
        example: ("An optimized kernel", "An optimised kernel"),
    },
];

/// Habits of addresses. Everything that is written is searched for them.
pub const ADDRESSES: &[Habit] = &[Habit {
    pattern: r"docs\.nvidia\.com/cuda/cuda-c-programming-guide",
    advice: "this guide has been replaced: link `docs.nvidia.com/cuda/cuda-programming-guide` and name the section",
    example: (
        "[guide](https://docs.nvidia.com/cuda/cuda-c-programming-guide/)",
        "[guide](https://docs.nvidia.com/cuda/cuda-programming-guide/)",
    ),
}];
