//! Compares the "Default: ..." in the docs of a setting with the setting's default value.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::Path;

/// The settings of a crate: all its sources in one string.
pub struct Settings {
    source: String,
    checked: BTreeSet<String>,
}

impl Settings {
    /// Reads the sources of the crate that lies at `root`.
    pub fn read(root: &str) -> Self {
        let mut source = String::new();
        read_into(&Path::new(root).join("src"), &mut source);
        Self { source, checked: BTreeSet::new() }
    }

    /// Checks every public field of `T`: its docs state the default, and it is that.
    pub fn check<T: Default + Debug>(mut self) -> Self {
        let name = std::any::type_name::<T>().rsplit("::").next().unwrap();
        let shown = format!("{:#?}", T::default());
        for (field, docs) in fields(&self.source, name) {
            let value = value_of(&shown, &field);
            let Some((_, told)) = docs.split_once("Default: ") else {
                panic!("the docs of {name}::{field} do not state its default, {value}");
            };
            assert!(agree(told, &value), "{name}::{field} is {value}, its docs say {told}");
        }
        self.checked.insert(name.to_owned());
        self
    }

    /// Fails when a struct with public fields and a default of its own was not checked.
    pub fn check_is_complete(self) {
        let defaults = self.source.split("impl Default for ").skip(1);
        let names = defaults.filter_map(|rest| rest.split([' ', '<']).next());
        let settings = names.filter(|name| !fields(&self.source, name).is_empty());
        let missing: Vec<&str> = settings.filter(|name| !self.checked.contains(*name)).collect();
        assert!(missing.is_empty(), "settings whose docs are not checked: {missing:?}");
    }
}

fn read_into(folder: &Path, source: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_into(&path, source);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            source.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

/// The public fields of a struct, each with its docs in one line.
fn fields(source: &str, name: &str) -> Vec<(String, String)> {
    let begin = format!("pub struct {name} {{\n");
    let Some((_, rest)) = source.split_once(&begin) else { return Vec::new() };
    let (body, _) = rest.split_once("\n}").unwrap();
    let (mut fields, mut docs) = (Vec::new(), String::new());
    for line in body.lines().map(str::trim) {
        if let Some(words) = line.strip_prefix("///") {
            docs.push_str(words);
        } else if let Some((field, _)) = line.strip_prefix("pub ").and_then(|it| it.split_once(':'))
        {
            fields.push((field.to_owned(), std::mem::take(&mut docs)));
        } else {
            docs.clear();
        }
    }
    fields
}

/// The value of a field in the pretty debug form of a struct, nested lines included.
fn value_of(shown: &str, field: &str) -> String {
    let mut lines = shown.lines();
    let begin = format!("    {field}: ");
    let first = lines.find_map(|line| line.strip_prefix(&begin)).unwrap();
    let nested = lines.take_while(|line| line.starts_with("     ") || line.starts_with("    }"));
    nested.fold(first.trim_end_matches(',').to_owned(), |value, line| value + line)
}

/// Whether what the docs tell is this value, as far as its kind can be compared.
fn agree(told: &str, value: &str) -> bool {
    if told.starts_with("zero") {
        return numbers(value).iter().all(|number| *number == 0.0);
    }
    if let (Some(told), Some(value)) = (number_told(told), numbers(value).first()) {
        return (told - value).abs() <= 1e-12 * told.abs();
    }
    // A variant or a constant is linked by its name, or by that of its type.
    let name = value.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    !name.is_empty() && told.starts_with(['`', '[']) && told.contains(name)
}

/// The number at the beginning, in seconds or radians if it has a unit of that kind.
fn number_told(told: &str) -> Option<f64> {
    let mut words = told.split([' ', ',']);
    let number: f64 = words.next()?.trim_end_matches('.').parse().ok()?;
    Some(match words.next().unwrap_or_default().trim_end_matches('.') {
        "ms" => number * 1e-3,
        "min" => number * 60.0,
        "degrees" => number.to_radians(),
        _ => number,
    })
}

/// The numbers in a debug form; spans in seconds.
fn numbers(value: &str) -> Vec<f64> {
    let words = value.split(|c: char| !(c.is_alphanumeric() || ".-".contains(c)));
    let number = |word: &str| {
        let scaled = |unit: &str, scale: f64| {
            word.strip_suffix(unit).and_then(|it| it.parse::<f64>().ok()).map(|it| it * scale)
        };
        word.parse().ok().or_else(|| {
            scaled("ms", 1e-3).or_else(|| scaled("ns", 1e-9)).or_else(|| scaled("s", 1.0))
        })
    };
    words.filter_map(number).collect()
}
