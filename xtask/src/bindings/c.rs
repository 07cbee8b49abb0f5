//! C, C++ and C#.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Asked, Place, copy, create, demand};
use crate::checks::Outcome;
use crate::failure::Failure;
use crate::say;
use crate::tools;
use crate::workspace;

const WARNINGS: [&str; 3] = ["-Wall", "-Wextra", "-Werror"];
/// What Rust's standard library needs beneath a static library.
const SYSTEM: [&str; 3] = ["-lm", "-lpthread", "-ldl"];
/// A trained model for the tests, from the root folder.
const LEARNED: &str = "crates/reckoning-arena/src/host/bots.reck-model";

/// Builds the library and puts everything that users need into a folder.
pub fn build(place: &Place, asked: &Asked) -> Result<(), Failure> {
    let mut generate = place.cargo("run --quiet --release --locked -p generate --");
    if !asked.write {
        generate.arg("--check");
    }
    workspace::run(&mut generate)?;
    library(place, if asked.client { "--features client" } else { "" }, "--release")?;
    let into = asked.into.clone().unwrap_or_else(|| place.target.join("package"));
    pack(place, &into)?;
    say::success(&format!("The headers, the C# file and the libraries are in {}", into.display()));
    Ok(())
}

fn library(place: &Place, features: &str, profile: &str) -> Result<(), Failure> {
    workspace::run(&mut place.cargo(&format!("build --locked {profile} {features}")))
}

fn pack(place: &Place, into: &Path) -> Result<(), Failure> {
    for name in ["reckoning.h", "reckoning.hpp"] {
        copy(&place.file("include").join(name), &into.join("include").join(name))?;
    }
    copy(&place.file("csharp/Reckoning.cs"), &into.join("csharp/Reckoning.cs"))?;
    let names = if cfg!(windows) {
        ["reckoning.dll", "reckoning.lib"]
    } else if cfg!(target_os = "macos") {
        ["libreckoning.dylib", "libreckoning.a"]
    } else {
        ["libreckoning.so", "libreckoning.a"]
    };
    for name in names {
        copy(&place.target.join("release").join(name), &into.join("lib").join(name))?;
    }
    Ok(())
}

/// Compiles and runs the test programs in every way there is here.
pub fn test(place: &Place, writes: bool) -> Result<Outcome, Failure> {
    if !tools::is_installed("gcc") || !tools::is_installed("g++") {
        return Ok(Outcome::Skipped("install gcc and g++, for example the package `g++`"));
    }
    place.check_source(&["", "--features client"])?;
    build(place, &Asked { write: writes, ..Asked::DEFAULT })?;
    workspace::run(&mut place.cargo("test --quiet --locked --release --workspace"))?;
    create(&place.target.join("programs"))?;
    programs(place, writes)?;
    valgrind(place)?;
    sharp(place, writes)?;
    place.run_first_steps("13-c.md", &["first.c"], "after half a second it is drawn at 1.5")?;
    beside_rust(place)?;
    Ok(Outcome::Passed)
}

/// Where a test program goes.
fn program(place: &Place, name: &str) -> PathBuf {
    place.target.join("programs").join(name)
}

/// Compiles a C program against the static library.
fn compile(place: &Place, source: &str, name: &str, more: &[&str]) -> Result<Command, Failure> {
    let (compiler, standard) =
        if name.ends_with("-cpp") { ("g++", "-std=c++17") } else { ("gcc", "-std=c11") };
    let mut command = place.program(compiler);
    command.arg(standard).args(WARNINGS).args(["-O2", "-Ibindings/c/include"]).args(more);
    command.arg(place.file(source)).arg("-o").arg(program(place, name));
    let profile = if more.contains(&DEBUG) { "debug" } else { "release" };
    command.arg(place.target.join(profile).join("libreckoning.a")).args(SYSTEM);
    workspace::run(&mut command)?;
    Ok(place.program(program(place, name)))
}

/// Asks for the debug build of the library, which has the client.
const DEBUG: &str = "-DRECKONING_CLIENT_TEST";

fn programs(place: &Place, writes: bool) -> Result<(), Failure> {
    let mut golden = compile(place, "tests/golden.c", "golden", &["-DBINDING=\"c\""])?;
    place.run_golden(golden.arg(Place::SCRIPT), writes)?;
    let mut golden = compile(place, "tests/golden.cpp", "golden-cpp", &[])?;
    place.run_golden(golden.arg(Place::SCRIPT), writes)?;
    workspace::run(compile(place, "tests/misuse.c", "misuse", &[])?.arg(LEARNED))?;
    workspace::run(compile(place, "tests/fuzz.c", "fuzz", &[])?.arg("1000000"))?;
    let sanitizers = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    workspace::run(
        compile(place, "tests/misuse.c", "misuse-sanitized", &sanitizers)?.arg(LEARNED),
    )?;
    let mut fuzz = compile(place, "tests/fuzz.c", "fuzz-sanitized", &sanitizers)?;
    workspace::run(fuzz.args(["200000", "7"]))?;
    workspace::run(&mut compile(place, "tests/speed.c", "speed", &[])?)?;
    let printed = workspace::run_for_output(&mut compile(place, "examples/car.c", "car", &[])?)?;
    demand(printed == "600 ticks, 29 updates\n", "the car", "600 ticks, 29 updates")
}

fn valgrind(place: &Place) -> Result<(), Failure> {
    if !tools::is_installed("valgrind") && !tools::install_quietly(place.workspace, &["valgrind"]) {
        return place.skip("valgrind", "install the package `valgrind`");
    }
    for (name, word) in [("misuse", LEARNED), ("golden", Place::SCRIPT), ("fuzz", "20000")] {
        let mut command = place.program("valgrind");
        command.args(["-q", "--error-exitcode=9", "--leak-check=full"]);
        workspace::run(command.arg(program(place, name)).arg(word))?;
    }
    Ok(())
}

/// C# under mono: the layout of every struct, and the golden scenes.
fn sharp(place: &Place, writes: bool) -> Result<(), Failure> {
    let is_there = || tools::is_installed("mcs") && tools::is_installed("mono");
    let packages = ["mono-mcs", "mono-runtime", "libmono-system-core4.0-cil"];
    if !(is_there() || tools::install_quietly(place.workspace, &packages) && is_there()) {
        return place.skip("C#", "install the packages `mono-mcs` and `mono-runtime`");
    }
    let sharp = |source: &str, name: &str| -> Result<Command, Failure> {
        let mut compiler = place.program("mcs");
        compiler.args(["-unsafe", "-warnaserror"]);
        compiler.arg(format!("-out:{}", program(place, name).display()));
        workspace::run(compiler.arg(place.file("csharp/Reckoning.cs")).arg(place.file(source)))?;
        let mut mono = place.program("mono");
        mono.arg(program(place, name)).env("LD_LIBRARY_PATH", place.target.join("release"));
        Ok(mono)
    };
    let mut in_c = compile(place, "tests/layout.c", "layout", &[])?;
    let wanted = workspace::run_for_output(&mut in_c)?;
    let got = workspace::run_for_output(&mut sharp("tests/Layout.cs", "layout.exe")?)?;
    let differs = wanted.lines().zip(got.lines()).find(|(c, sharp)| c != sharp);
    demand(differs.is_none() && wanted == got, "the layout in C#", &format!("{differs:?}"))?;
    say::note(&format!("{} sizes and offsets are the same in C and C#", wanted.lines().count()));
    place.run_golden(sharp("tests/Golden.cs", "golden.exe")?.arg(Place::SCRIPT), writes)
}

/// A player in C and one in Rust on the same server.
fn beside_rust(place: &Place) -> Result<(), Failure> {
    library(place, "--features client", "")?;
    compile(place, "examples/peer.c", "peer", &[DEBUG])?;
    let words = "run --quiet -p reckoning-server --example beside --";
    workspace::run(place.workspace.cargo(words).arg(program(place, "peer")))
}
