//! A small reader of level files: each value is only ever asked for what it has to be.
//!
//! The readers of `toml` are made anew for every type and every sort of value that might be in its
//! place, which is good for messages and takes hundreds of kilobytes.

use serde::de::value::{Error as ReadError, MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use toml::{Table, Value};

/// What a text says.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let table: Table = toml::from_str(text).map_err(|error| error.to_string())?;
    T::deserialize(Plain(&Value::Table(table))).map_err(|error| error.to_string())
}

/// A value that is read.
#[derive(Clone, Copy)]
struct Plain<'a>(&'a Value);

impl Plain<'_> {
    fn wrong(self, wanted: &str) -> ReadError {
        let found = self.0.type_str();
        Error::custom(format_args!("a {wanted} is needed where there is a {found}"))
    }

    fn number(self) -> Result<f64, ReadError> {
        match self.0 {
            Value::Float(number) => Ok(*number),
            Value::Integer(number) => Ok(*number as f64),
            _ => Err(self.wrong("number")),
        }
    }

    fn integer(self) -> Result<i64, ReadError> {
        self.0.as_integer().ok_or_else(|| self.wrong("whole number"))
    }

    fn text(&self) -> Result<&str, ReadError> {
        self.0.as_str().ok_or_else(|| self.wrong("text"))
    }
}

impl IntoDeserializer<'_, ReadError> for Plain<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! integers {
    ($($name:ident)*) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            visitor.visit_i64(self.integer()?)
        }
    )*};
}

macro_rules! texts {
    ($($name:ident)*) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            visitor.visit_str(self.text()?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Plain<'_> {
    type Error = ReadError;

    integers! { deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 }
    integers! { deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 }
    texts! { deserialize_str deserialize_string deserialize_identifier }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, ReadError> {
        Err(self.wrong("value of a known sort"))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_bool(self.0.as_bool().ok_or_else(|| self.wrong("true or false"))?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_f64(self.number()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let list = self.0.as_array().ok_or_else(|| self.wrong("list"))?;
        let mut list = SeqDeserializer::new(list.iter().map(Plain));
        let value = visitor.visit_seq(&mut list)?;
        list.end().map(|()| value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let table = self.0.as_table().ok_or_else(|| self.wrong("table"))?;
        visitor.visit_map(MapDeserializer::new(table.iter().map(|it| (it.0.as_str(), Plain(it.1)))))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_enum(StrDeserializer::<ReadError>::new(self.text()?))
    }

    forward_to_deserialize_any! {
        i128 u128 f32 char bytes byte_buf unit unit_struct newtype_struct tuple_struct map
        ignored_any
    }
}

#[cfg(test)]
mod tests {
    use crate::hills::{HillsFile, HillsLevel};
    use crate::level::{Level, LevelFile};

    #[test]
    fn it_reads_what_the_other_reader_reads() {
        let text = HillsLevel::built_in_text();
        let other: HillsFile = toml::from_str(text).unwrap();
        assert!(super::read::<HillsFile>(text).unwrap() == other);
        for name in Level::built_in_names() {
            let text = Level::built_in_text(name).unwrap();
            let other: LevelFile = toml::from_str(text).unwrap();
            assert!(super::read::<LevelFile>(text).unwrap() == other, "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let text = HillsLevel::built_in_text();
        for (from, to, said) in [
            ("water_m = 6.0", "water_m = \"deep\"", "a number is needed where there is a string"),
            ("water_m = 6.0", "water = 6.0", "unknown field `water`"),
            ("water_m = 6.0", "", "missing field `water_m`"),
            ("cars = 3", "cars = 300", "300"),
            ("water_m = 6.0", "water_m = ", "line 9"),
        ] {
            let got = super::read::<HillsFile>(&text.replacen(from, to, 1)).unwrap_err();
            assert!(got.contains(said), "{to}: {got}");
        }
    }
}
