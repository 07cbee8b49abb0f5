//! What the library exports, as read from its source.

use std::path::Path;

use syn::{Expr, Fields, FnArg, Item, Lit, Meta, Pat, ReturnType, Type, Visibility};

/// In an order in which every type comes after those it is made of.
const FILES: [&str; 11] = [
    "result",
    "types",
    "world",
    "defs",
    "kind",
    "learned",
    "publisher",
    "ghost",
    "joint",
    "crowd",
    "clock",
];
/// Of a feature.
const OF_CLIENTS: &str = "client";

/// A type as C knows it.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A number, or one of our types, by its name in Rust.
    Plain(String),
    Pointer {
        to: Box<Kind>,
        is_const: bool,
    },
    Array {
        of: Box<Kind>,
        length: String,
    },
}

pub struct Named {
    pub docs: Vec<String>,
    pub name: String,
    pub kind: Kind,
}

pub enum Definition {
    Struct { docs: Vec<String>, name: String, fields: Vec<Named> },
    Enum { docs: Vec<String>, name: String, variants: Vec<(Vec<String>, String, i64)> },
    Constant { docs: Vec<String>, name: String, value: u64 },
}

pub struct Function {
    pub docs: Vec<String>,
    pub name: String,
    pub arguments: Vec<Named>,
    pub returns: Kind,
    pub of_clients: bool,
}

#[derive(Default)]
pub struct Model {
    pub definitions: Vec<Definition>,
    pub functions: Vec<Function>,
}

impl Model {
    /// The number that a constant stands for.
    pub fn constant(&self, wanted: &str) -> u64 {
        let found = self.definitions.iter().find_map(|it| match it {
            Definition::Constant { name, value, .. } if name == wanted => Some(*value),
            _ => None,
        });
        found.or_else(|| wanted.parse().ok()).unwrap_or_default()
    }
}

pub fn read(folder: &Path) -> Result<Model, String> {
    let mut model = Model::default();
    for file in FILES.into_iter().chain([OF_CLIENTS]) {
        let path = folder.join(file).with_extension("rs");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{file}.rs: {error}"))?;
        for item in parsed.items {
            model.take(item, file).map_err(|it| format!("{file}.rs: {it}"))?;
        }
    }
    match model.undocumented() {
        Some(name) => Err(format!("{name} has no documentation")),
        None => Ok(model),
    }
}

impl Model {
    /// The first thing that is exported without a word.
    fn undocumented(&self) -> Option<&str> {
        let definitions = self.definitions.iter().find_map(|it| match it {
            Definition::Struct { docs, name, fields } => {
                let all = fields.iter().all(|it| !it.docs.is_empty());
                (docs.is_empty() || !all).then_some(name)
            }
            Definition::Enum { docs, name, variants } => {
                let all = variants.iter().all(|(docs, ..)| !docs.is_empty());
                (docs.is_empty() || !all).then_some(name)
            }
            Definition::Constant { docs, name, .. } => docs.is_empty().then_some(name),
        });
        let function = || self.functions.iter().find(|it| it.docs.is_empty()).map(|it| &it.name);
        definitions.or_else(function).map(String::as_str)
    }

    fn take(&mut self, item: Item, file: &str) -> Result<(), String> {
        match item {
            Item::Struct(it) if has(&it.attrs, "repr", "C") => {
                let Fields::Named(fields) = it.fields else {
                    return Err(format!("{} has fields without names", it.ident));
                };
                let fields = fields.named.into_iter().map(|field| {
                    let name = field.ident.map(|it| it.to_string()).unwrap_or_default();
                    Ok(Named { docs: docs(&field.attrs), name, kind: kind(&field.ty)? })
                });
                let fields = fields.collect::<Result<_, String>>()?;
                let (docs, name) = (docs(&it.attrs), it.ident.to_string());
                self.definitions.push(Definition::Struct { docs, name, fields });
            }
            Item::Enum(it) if has(&it.attrs, "repr", "i32") => {
                let variants = it.variants.iter().map(|variant| {
                    let number = variant.discriminant.as_ref().and_then(|(_, it)| number(it));
                    let number = number.ok_or(format!("{} has no number", variant.ident))?;
                    Ok((docs(&variant.attrs), variant.ident.to_string(), number as i64))
                });
                let variants = variants.collect::<Result<_, String>>()?;
                let (docs, name) = (docs(&it.attrs), it.ident.to_string());
                self.definitions.push(Definition::Enum { docs, name, variants });
            }
            Item::Const(it)
                if matches!(it.vis, Visibility::Public(_))
                    && it.ident.to_string().starts_with("RECK_") =>
            {
                let value = number(&it.expr).ok_or(format!("{} is no number", it.ident))?;
                let (docs, name) = (docs(&it.attrs), it.ident.to_string());
                self.definitions.push(Definition::Constant { docs, name, value });
            }
            Item::Fn(it) if it.sig.ident.to_string().starts_with("reck_") => {
                self.functions.push(function(&it, file)?);
            }
            _ => {}
        }
        Ok(())
    }
}

fn function(it: &syn::ItemFn, file: &str) -> Result<Function, String> {
    let name = it.sig.ident.to_string();
    let arguments = it.sig.inputs.iter().map(|argument| {
        let FnArg::Typed(argument) = argument else { return Err(format!("{name} has a self")) };
        let Pat::Ident(ident) = &*argument.pat else { return Err(format!("{name}: a pattern")) };
        let kind = kind(&argument.ty)?;
        Ok(Named { docs: Vec::new(), name: ident.ident.to_string(), kind })
    });
    let arguments = arguments.collect::<Result<_, String>>()?;
    let returns = match &it.sig.output {
        ReturnType::Default => Kind::Plain("void".to_owned()),
        ReturnType::Type(_, ty) => kind(ty)?,
    };
    let mut docs = docs(&it.attrs);
    // What Rust's callers promise is what every function of C takes for granted.
    if let Some(at) = docs.iter().position(|line| line.trim() == "# Safety") {
        docs.truncate(at);
    }
    while docs.last().is_some_and(|line| line.is_empty()) {
        docs.pop();
    }
    Ok(Function { docs, name, arguments, returns, of_clients: file == OF_CLIENTS })
}

fn kind(ty: &Type) -> Result<Kind, String> {
    match ty {
        Type::Ptr(it) => {
            let to = Box::new(kind(&it.elem)?);
            Ok(Kind::Pointer { to, is_const: it.mutability.is_none() })
        }
        Type::Array(it) => {
            let length = match &it.len {
                Expr::Path(path) => path.path.segments.last().map(|it| it.ident.to_string()),
                other => number(other).map(|it| it.to_string()),
            };
            let length = length.ok_or("an array of unclear length")?;
            Ok(Kind::Array { of: Box::new(kind(&it.elem)?), length })
        }
        Type::Path(it) => {
            let last = it.path.segments.last().ok_or("a type without a name")?;
            // A choice is the enum that it is one of.
            if let syn::PathArguments::AngleBracketed(inner) = &last.arguments {
                let Some(syn::GenericArgument::Type(inner)) = inner.args.first() else {
                    return Err(format!("{} of what?", last.ident));
                };
                return kind(inner);
            }
            Ok(Kind::Plain(last.ident.to_string()))
        }
        _ => Err("a type that C does not have".to_owned()),
    }
}

fn number(expr: &Expr) -> Option<u64> {
    match expr {
        Expr::Lit(it) => match &it.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn has(attrs: &[syn::Attribute], name: &str, word: &str) -> bool {
    attrs.iter().any(|attr| match &attr.meta {
        Meta::List(list) => list.path.is_ident(name) && list.tokens.to_string() == word,
        _ => false,
    })
}

/// Lines of documentation, without Rust's brackets round what they link to.
fn docs(attrs: &[syn::Attribute]) -> Vec<String> {
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::NameValue(it) if it.path.is_ident("doc") => match &it.value {
            Expr::Lit(lit) => match &lit.lit {
                Lit::Str(text) => Some(text.value().trim().replace("[`", "").replace("`]", "")),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.map(|it| it.replace('`', "")).collect()
}

/// `ReckStatus` and `NoSuchId` become `RECK_STATUS_NO_SUCH_ID`.
pub fn shouted(name: &str, variant: &str) -> String {
    let mut out = String::new();
    for (text, first) in [(name, true), (variant, false)] {
        for (at, letter) in text.char_indices() {
            if letter.is_ascii_uppercase() && (at > 0 || !first) {
                out.push('_');
            }
            out.push(letter.to_ascii_uppercase());
        }
    }
    out
}
