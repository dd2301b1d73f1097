//! Reads a launch that stands among other fields, as in a test of a scenario file or a request.
//!
//! serde's `flatten` does nearly this, but it forgets where in the file a value stood, so that a message could not name its
//! line, and it does not refuse unknown fields. Here every value is read where it stands: a field of the launch into the
//! launch, and any other by the reader that was derived for the rest.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

use super::{FIELDS, Field, Launch};

/// A launch, and what is said besides.
#[derive(Clone, Debug, Default)]
pub struct Described<M> {
    /// The launch.
    pub launch: Launch,
    /// The other fields.
    pub more: M,
}

/// Fields that stand beside those of a launch: a struct whose reader was derived.
pub trait More {
    /// Whether this field of a launch may be said here.
    fn takes(field: &Field) -> bool;
}

/// Nothing besides a launch.
#[derive(Deserialize)]
pub(super) struct Nothing {}

impl More for Nothing {
    fn takes(_: &Field) -> bool {
        true
    }
}

impl<'de, M: Deserialize<'de> + More> Deserialize<'de> for Described<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Described<M>, D::Error> {
        let mut launch = Launch::default();
        let more =
            M::deserialize(Apart { inner: deserializer, launch: &mut launch, takes: M::takes, own: &[] })?;
        Ok(Described { launch, more })
    }
}

/// A deserializer, visitor or map of the other fields, which puts those of the launch aside.
struct Apart<'l, T> {
    inner: T,
    launch: &'l mut Launch,
    takes: fn(&Field) -> bool,
    /// The names of the other fields.
    own: &'static [&'static str],
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Apart<'_, D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        own: &'static [&'static str],
        inner: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = Apart { inner, launch: self.launch, takes: self.takes, own };
        self.inner.deserialize_struct(name, own, visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, D::Error> {
        Err(de::Error::custom("the fields beside a launch are those of a struct"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Apart<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let Apart { inner, launch, takes, own } = self;
        inner.visit_map(Apart { inner: map, launch, takes, own })
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Apart<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        loop {
            match self.inner.next_key_seed(Key { takes: self.takes, own: self.own })? {
                None => return Ok(None),
                Some(Known::Own(name)) => {
                    let name: StrDeserializer<'_, A::Error> = name.into_deserializer();
                    return seed.deserialize(name).map(Some);
                }
                Some(Known::Field(field, name)) => {
                    self.inner.next_value_seed(Value { launch: self.launch, field, name })?;
                }
            }
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}

/// A key that may occur.
enum Known {
    /// That of a field of the launch, and as it is written.
    Field(&'static Field, &'static str),
    /// That of another field.
    Own(&'static str),
}

/// Reads a key, and refuses those that nobody knows.
struct Key {
    takes: fn(&Field) -> bool,
    own: &'static [&'static str],
}

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Known;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Known, D::Error> {
        key.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Known;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Known, E> {
        let taken = FIELDS.iter().filter(|field| (self.takes)(field));
        let mut names = taken.flat_map(|field| field.names.iter().map(move |name| (field, *name)));
        if let Some((field, name)) = names.clone().find(|(_, name)| *name == key) {
            return Ok(Known::Field(field, name));
        }
        if let Some(name) = self.own.iter().find(|name| **name == key) {
            return Ok(Known::Own(name));
        }
        let known = self.own.iter().copied().chain(names.by_ref().map(|(_, name)| name));
        let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
        Err(E::custom(format_args!("unknown field `{key}`, expected one of {}", known.join(", "))))
    }
}

/// Reads a value into the launch. An error names the field.
struct Value<'l> {
    launch: &'l mut Launch,
    field: &'static Field,
    name: &'static str,
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        if !(self.field.texts)(self.launch).is_empty() {
            return Err(de::Error::duplicate_field(self.name));
        }
        let named = |error: D::Error| {
            de::Error::custom(format_args!("`{}`: {}", self.name, error.to_string().trim_end()))
        };
        self.launch.read(self.field, value).map_err(named)
    }
}
