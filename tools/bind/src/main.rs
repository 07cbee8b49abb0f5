//! Makes what a browser loads from a compiled WebAssembly module, in a folder where the rest of the
//! page is already, names files by what they hold, compresses them beside themselves, and weighs the
//! whole: `bind MODULE.wasm FOLDER MOST_BYTES`.

mod names;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, most_bytes] = words.as_slice() else {
        eprintln!("usage: bind MODULE.wasm FOLDER MOST_BYTES");
        return ExitCode::from(2);
    };
    let Ok(most_bytes) = most_bytes.parse::<usize>() else {
        eprintln!("{most_bytes} is no number of bytes");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let outcome = bindgen.web(true).and_then(|it| {
        it.typescript(false).remove_name_section(true).remove_producers_section(true);
        it.input_path(module).generate(folder)
    });
    if let Err(error) = outcome {
        eprintln!("could not bind {module}: {error:#}");
        return ExitCode::FAILURE;
    }
    let renamed = names::rename(Path::new(folder)).and_then(|()| name_site(folder));
    match renamed.and_then(|()| pack(folder)) {
        Ok(bytes) if bytes <= most_bytes => {
            println!("The page weighs {bytes} bytes with gzip, of {most_bytes} at most.");
            ExitCode::SUCCESS
        }
        Ok(bytes) => {
            eprintln!(
                "the page in {folder} weighs {bytes} bytes with gzip, {} more than the {most_bytes} \
                 it may: leave out what it does not need",
                bytes - most_bytes
            );
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("could not name and compress the page in {folder}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The variable with the address that the page will have, without a slash at its end. Most machines
/// that show a link as a card want the whole address of its picture, which no server knows by itself.
const SITE: &str = "RECKONING_SITE";

/// Writes the whole address of the picture into the pages, if it is told.
fn name_site(folder: &str) -> io::Result<()> {
    let Ok(site) = std::env::var(SITE) else { return Ok(()) };
    for page in names::pages(Path::new(folder))? {
        let [short, whole] =
            [String::new(), format!("{site}/")].map(|it| format!("content=\"{it}social.png\""));
        fs::write(&page, fs::read_to_string(&page)?.replace(&short, &whole))?;
    }
    Ok(())
}

/// Only machines that show a link as a card fetch these, so they are not part of the weight.
const FOR_CRAWLERS: [&str; 1] = ["social.png"];

/// Writes each file compressed beside itself where that is shorter, by gzip and by brotli, and returns
/// how many bytes travel to a browser that reads gzip alone.
fn pack(folder: &str) -> io::Result<usize> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()? {
        let (path, raw) = (entry.path(), fs::read(entry.path())?);
        if FOR_CRAWLERS.iter().any(|it| path.ends_with(it)) {
            continue;
        }
        let by_gzip = gzip(&raw)?;
        bytes += by_gzip.len().min(raw.len());
        for (ending, packed) in [("gz", by_gzip), ("br", brotli(&raw)?)] {
            if packed.len() < raw.len() {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                fs::write(path.with_file_name(format!("{name}.{ending}")), packed)?;
            }
        }
    }
    Ok(bytes)
}

fn gzip(raw: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(raw)?;
    packed.finish()
}

/// By brotli as well as it can, which takes it seconds.
fn brotli(mut raw: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    let params = BrotliEncoderParams { size_hint: raw.len(), ..BrotliEncoderParams::default() };
    brotli::BrotliCompress(&mut raw, &mut packed, &params)?;
    Ok(packed)
}
