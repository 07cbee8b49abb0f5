//! The file for C#: structs of the same layout, one field per line, and the calls by `DllImport`.

use std::fmt::Write as _;

use crate::model::{Definition, Function, Kind, Model, Named};

const BEGIN: &str = "\
// Reckoning: dead reckoning for games and simulations, in C#, for Unity, Godot and mono. Made from the
// library's source by `generate`. Put this file and the library `reckoning` into your project, and allow
// unsafe code. `Reck.Check` turns a result that is not Ok into a `ReckException`.

using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Reckoning
{
    /// <summary>Why a call was refused: the field that is to blame and the value that it had.</summary>
    public sealed class ReckException : Exception
    {
        /// <summary>What the call answered.</summary>
        public ReckResult Result { get; }

        public ReckException(ReckResult result) : base(Reck.Message(result)) { Result = result; }
    }
";

const CHECK: &str = "
        /// <summary>Throws a ReckException unless the result is Ok.</summary>
        public static void Check(ReckResult result)
        {
            if (result.status != ReckStatus.Ok) throw new ReckException(result);
        }

        /// <summary>A result in words.</summary>
        public static string Message(ReckResult result)
        {
            var bytes = new byte[256];
            fixed (byte* start = bytes)
            {
                var all = reck_result_message(
                    (int)result.status, (int)result.field, result.value, start, (UIntPtr)bytes.Length);
                return Encoding.UTF8.GetString(bytes, 0, Math.Min((int)all, bytes.Length - 1));
            }
        }
";

pub fn text(model: &Model) -> String {
    let mut out = BEGIN.to_owned();
    for definition in &model.definitions {
        write_definition(&mut out, model, definition);
    }
    out.push_str(
        "\n    /// <summary>The calls.</summary>\n    public static unsafe class Reck\n    {\n",
    );
    out.push_str("        private const string Library = \"reckoning\";\n");
    for definition in &model.definitions {
        if let Definition::Constant { docs, name, value } = definition {
            out.push('\n');
            write_docs(&mut out, "        ", docs);
            let _ = writeln!(out, "        public const int {name} = {value};");
        }
    }
    out.push_str(CHECK);
    for function in &model.functions {
        out.push('\n');
        write_function(&mut out, function);
    }
    out.push_str("    }\n}\n");
    out
}

fn write_docs(out: &mut String, indent: &str, docs: &[String]) {
    let text = docs.join(" ").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(out, "{indent}/// <summary>{text}</summary>");
}

fn write_definition(out: &mut String, model: &Model, definition: &Definition) {
    match definition {
        Definition::Struct { docs, name, fields } => {
            out.push('\n');
            write_docs(out, "    ", docs);
            let _ = writeln!(out, "    [StructLayout(LayoutKind.Sequential)]");
            let _ = writeln!(out, "    public unsafe struct {name}\n    {{");
            for field in fields {
                write_field(out, model, field);
            }
            out.push_str("    }\n");
        }
        Definition::Enum { docs, name, variants } => {
            out.push('\n');
            write_docs(out, "    ", docs);
            let _ = writeln!(out, "    public enum {name} : int\n    {{");
            for (docs, variant, number) in variants {
                write_docs(out, "        ", docs);
                let _ = writeln!(out, "        {variant} = {number},");
            }
            out.push_str("    }\n");
        }
        Definition::Constant { .. } => {}
    }
}

fn write_field(out: &mut String, model: &Model, field: &Named) {
    write_docs(out, "        ", &field.docs);
    let name = &field.name;
    match &field.kind {
        Kind::Array { of, length } => {
            let (of_sharp, count) = (of_sharp(of), model.constant(length));
            if matches!(&**of, Kind::Plain(it) if it == "u8") {
                let _ = writeln!(out, "        public fixed byte {name}[{count}];");
                return;
            }
            // Arrays of structs cannot be fixed: one field for each, and one per line.
            for index in 0..count {
                let _ = writeln!(out, "        public {of_sharp} {name}{index};");
            }
        }
        other => {
            let _ = writeln!(out, "        public {} {name};", of_sharp(other));
        }
    }
}

fn write_function(out: &mut String, function: &Function) {
    write_docs(out, "        ", &function.docs);
    let arguments: Vec<String> = function
        .arguments
        .iter()
        .map(|it| format!("{} {}", of_sharp(&it.kind), escaped(&it.name)))
        .collect();
    let _ =
        writeln!(out, "        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]");
    if matches!(&function.returns, Kind::Plain(it) if it == "bool") {
        out.push_str("        [return: MarshalAs(UnmanagedType.I1)]\n");
    }
    let (returns, name) = (of_sharp(&function.returns), &function.name);
    let _ =
        writeln!(out, "        public static extern {returns} {name}({});", arguments.join(", "));
}

/// Words of C# that C may use as names.
fn escaped(name: &str) -> String {
    if matches!(name, "out" | "in" | "ref" | "event" | "object") {
        return format!("@{name}");
    }
    name.to_owned()
}

fn of_sharp(kind: &Kind) -> String {
    match kind {
        Kind::Plain(name) => match name.as_str() {
            "f64" => "double",
            "f32" => "float",
            "usize" => "UIntPtr",
            "c_char" | "u8" => "byte",
            "u16" => "ushort",
            "u32" => "uint",
            "u64" => "ulong",
            "i32" => "int",
            "i64" => "long",
            other => other,
        }
        .to_owned(),
        Kind::Pointer { to, .. } => format!("{}*", of_sharp(to)),
        Kind::Array { of, .. } => format!("{}[]", of_sharp(of)),
    }
}

/// A program that prints where everything is.
pub fn layout(model: &Model) -> String {
    let mut out = "\
// Prints sizes and offsets of all structs, to compare with C. Made by `generate`.
using System;
using System.Runtime.InteropServices;
using Reckoning;

public static class Layout
{
    static string Of<T>(string field) { return Marshal.OffsetOf(typeof(T), field).ToString(); }

    public static void Main()
    {
"
    .to_owned();
    for definition in &model.definitions {
        let Definition::Struct { name, fields, .. } = definition else { continue };
        let _ = writeln!(
            out,
            "        Console.WriteLine(\"{name} \" + Marshal.SizeOf(typeof({name})));"
        );
        for field in fields {
            let field_name = &field.name;
            let first = match &field.kind {
                Kind::Array { of, .. } if !matches!(&**of, Kind::Plain(it) if it == "u8") => {
                    format!("{field_name}0")
                }
                _ => field_name.clone(),
            };
            let _ = writeln!(
                out,
                "        Console.WriteLine(\"{name}.{field_name} \" + Of<{name}>(\"{first}\"));"
            );
        }
    }
    out.push_str("    }\n}\n");
    out
}
