//! Makes what npm packs from a compiled module: `pack MODULE.wasm FOLDER`.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = words.as_slice() else {
        eprintln!("usage: pack MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let outcome = bindgen.web(true).and_then(|it| {
        // Without the path, bundlers find no module to take along, and say nothing.
        it.typescript(true).omit_default_module_path(false);
        it.remove_name_section(true).remove_producers_section(true);
        it.out_name("reckoning").input_path(module).generate(folder)
    });
    match outcome.map_err(|error| format!("{error:#}")).and_then(|()| name_library(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("could not pack {module}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The types use `Symbol.dispose`, which older libraries of TypeScript lack.
fn name_library(folder: &str) -> Result<(), String> {
    let path = format!("{folder}/reckoning.d.ts");
    let types = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let named = format!("/// <reference lib=\"esnext.disposable\" />\n{types}");
    std::fs::write(&path, named).map_err(|error| format!("{path}: {error}"))
}
