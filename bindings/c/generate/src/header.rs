//! The header for C and C++.

use std::fmt::Write as _;

use crate::model::{Definition, Function, Kind, Model, Named, shouted};

const BEGIN: &str = "\
// Reckoning: dead reckoning for games and simulations, in C. Made from the library's source by `generate`.
//
// Everything lives in worlds and is named by ids, which are values. An id that is all zero names nothing;
// ids of what was destroyed are refused, for ever. Take defs from their reck_*_def_default(). Every function
// checks what it is given and answers with a ReckResult: its status, the field that is to blame, and the
// value that had. It never ends the program and keeps no pointer of yours.
//
// Threads: use a world from one thread at a time. A call while another one is within the same world is
// refused as RECK_STATUS_BUSY. Different worlds are independent of each other.
//
// Units: metres, seconds, radians; moments are microseconds of a timeline of yours. Up is z.
#ifndef RECKONING_H
#define RECKONING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif
";

pub fn text(model: &Model) -> String {
    let mut out = BEGIN.to_owned();
    for definition in &model.definitions {
        out.push('\n');
        write_definition(&mut out, definition);
    }
    for function in model.functions.iter().filter(|it| !it.of_clients) {
        out.push('\n');
        write_function(&mut out, function);
    }
    out.push_str(
        "\n#ifdef RECKONING_CLIENT\n// In libraries that were built with the feature `client`.\n",
    );
    for function in model.functions.iter().filter(|it| it.of_clients) {
        out.push('\n');
        write_function(&mut out, function);
    }
    out.push_str("\n#endif\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    out
}

fn write_docs(out: &mut String, indent: &str, docs: &[String]) {
    for line in docs {
        let _ = writeln!(out, "{}", format!("{indent}// {line}").trim_end());
    }
}

fn write_definition(out: &mut String, definition: &Definition) {
    match definition {
        Definition::Struct { docs, name, fields } => {
            write_docs(out, "", docs);
            let _ = writeln!(out, "typedef struct {name} {{");
            for field in fields {
                write_docs(out, "  ", &field.docs);
                let _ = writeln!(out, "  {};", declared(field));
            }
            let _ = writeln!(out, "}} {name};");
        }
        Definition::Enum { docs, name, variants } => {
            write_docs(out, "", docs);
            let _ = writeln!(out, "typedef enum {name} {{");
            for (docs, variant, number) in variants {
                write_docs(out, "  ", docs);
                let _ = writeln!(out, "  {} = {number},", shouted(name, variant));
            }
            let _ = writeln!(out, "}} {name};");
        }
        Definition::Constant { docs, name, value } => {
            write_docs(out, "", docs);
            let _ = writeln!(out, "#define {name} {value}");
        }
    }
}

fn write_function(out: &mut String, function: &Function) {
    write_docs(out, "", &function.docs);
    let arguments: Vec<String> = function.arguments.iter().map(declared).collect();
    let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
    let one = format!("{} {}({arguments});", of_c(&function.returns), function.name);
    if one.len() <= 110 {
        let _ = writeln!(out, "{one}");
        return;
    }
    let arguments = arguments.replace(", ", ",\n    ");
    let _ = writeln!(out, "{} {}(\n    {arguments});", of_c(&function.returns), function.name);
}

fn declared(it: &Named) -> String {
    match &it.kind {
        Kind::Array { of, length } => format!("{} {}[{length}]", of_c(of), it.name),
        Kind::Pointer { .. } => format!("{}{}", of_c(&it.kind), it.name),
        Kind::Plain(_) => format!("{} {}", of_c(&it.kind), it.name),
    }
}

fn of_c(kind: &Kind) -> String {
    match kind {
        Kind::Plain(name) => match name.as_str() {
            "f64" => "double".to_owned(),
            "f32" => "float".to_owned(),
            "usize" => "size_t".to_owned(),
            "c_char" => "char".to_owned(),
            "u8" | "u16" | "u32" | "u64" => format!("uint{}_t", &name[1..]),
            "i8" | "i16" | "i32" | "i64" => format!("int{}_t", &name[1..]),
            other => other.to_owned(),
        },
        Kind::Pointer { to, is_const } => {
            format!("{}{} *", if *is_const { "const " } else { "" }, of_c(to))
        }
        Kind::Array { of, length } => format!("{}[{length}]", of_c(of)),
    }
}

/// A program that prints where everything is.
pub fn layout(model: &Model) -> String {
    let mut out = "\
// Prints sizes and offsets of all structs, to compare with C#. Made by `generate`.
#include <stdio.h>

#include \"reckoning.h\"

int main(void) {
"
    .to_owned();
    for definition in &model.definitions {
        let Definition::Struct { name, fields, .. } = definition else { continue };
        let _ = writeln!(out, "  printf(\"{name} %zu\\n\", sizeof({name}));");
        for field in fields {
            let field = &field.name;
            let _ =
                writeln!(out, "  printf(\"{name}.{field} %zu\\n\", offsetof({name}, {field}));");
        }
    }
    out.push_str("  return 0;\n}\n");
    out
}
