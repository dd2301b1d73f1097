//! Names of the source, each stored once.

use crate::source::map::Set;
use std::fmt;
use std::rc::Rc;

/// An identifier, or the text of a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Name(Rc<str>);

impl Name {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::borrow::Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// All names of a compilation.
#[derive(Debug, Default)]
pub(crate) struct Names(Set<Name>);

impl Names {
    pub fn get(&mut self, text: &str) -> Name {
        if let Some(name) = self.0.key(text) {
            return name.clone();
        }
        let name = Name(text.into());
        self.0.insert(name.clone(), ());
        name
    }
}
