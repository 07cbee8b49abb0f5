//! Makes what a browser loads from a compiled WebAssembly module: `bind MODULE.wasm FOLDER`.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = words.as_slice() else {
        eprintln!("usage: bind MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let outcome = bindgen.web(true).and_then(|it| {
        it.typescript(false).remove_name_section(true).remove_producers_section(true);
        it.input_path(module).generate(folder)
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("could not bind {module}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
