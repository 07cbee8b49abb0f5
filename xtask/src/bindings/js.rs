//! JavaScript and TypeScript: a package for npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Asked, Place, copy, create, demand, read};
use crate::checks::Outcome;
use crate::failure::Failure;
use crate::page::WASM;
use crate::say;
use crate::tools;
use crate::workspace;

/// Versions that the tests were written for.
const TYPESCRIPT: &str = "typescript@5.9.3";
const BUNDLERS: [&str; 3] = ["vite@7.2.2", "webpack@5.102.1", "webpack-cli@6.0.1"];

/// Builds the package: the engine alone, and beside it the engine with the client.
pub fn build(place: &Place, asked: &Asked) -> Result<(), Failure> {
    let into = asked.into.clone().unwrap_or_else(|| place.target.join("package"));
    tools::require_target(place.workspace, WASM)?;
    for name in ["package.json", "README.md", "index.js", "index.d.ts", "node.js"] {
        copy(&place.file("package").join(name), &into.join(name))?;
    }
    module(place, "", &into)?;
    let client = into.join("client");
    for name in ["index.js", "index.d.ts"] {
        copy(&place.file("package").join(name), &client.join(name))?;
    }
    module(place, "--features client", &client)?;
    say::success(&format!("The package is in {}", into.display()));
    Ok(())
}

fn module(place: &Place, features: &str, into: &Path) -> Result<(), Failure> {
    let words = format!("build --locked --release --target {WASM} {features}");
    workspace::run(&mut place.cargo(&words))?;
    let mut pack = place.program(place.workspace.cargo("").get_program());
    pack.args(["run", "--quiet", "--locked", "--release", "--manifest-path"]);
    pack.args(["bindings/js/pack/Cargo.toml", "--"]);
    pack.arg(place.target.join(WASM).join("release/reckoning_js.wasm")).arg(into);
    workspace::run(&mut pack)
}

/// Tests the package in Node, by TypeScript, and behind two bundlers in Chromium.
pub fn test(place: &Place, writes: bool) -> Result<Outcome, Failure> {
    if !tools::is_installed("node") || !tools::is_installed("npm") {
        return Ok(Outcome::Skipped("install Node 20 or later with npm, for example `npm`"));
    }
    tools::require_target(place.workspace, WASM)?;
    let target = format!("--target {WASM}");
    place.check_source(&[&target, &format!("{target} --features client")])?;
    build(place, &Asked::DEFAULT)?;
    let folder = place.empty_folder("tests")?;
    for name in ["golden.mjs", "node.mjs", "types.ts"] {
        copy(&place.file("tests").join(name), &folder.join(name))?;
    }
    copy(&place.file("examples/car.mjs"), &folder.join("car.mjs"))?;
    install(place, &folder, &[&place.target.join("package").display().to_string()])?;
    let script = place.workspace.root.join(Place::SCRIPT);
    place.run_golden(node(place, &folder, "node.mjs").arg(script), writes)?;
    let printed = workspace::run_for_output(&mut node(place, &folder, "car.mjs"))?;
    demand(printed == "600 ticks, 29 updates\n", "the car", "600 ticks, 29 updates")?;
    types(place, &folder)?;
    bundled(place, &folder)?;
    beside_rust(place, &folder)?;
    place.run_first_steps("14-javascript.md", &["first.mjs"], "it is drawn at 1.5")?;
    Ok(Outcome::Passed)
}

fn install(place: &Place, folder: &Path, packages: &[&str]) -> Result<(), Failure> {
    // Without one of its own, npm would climb to a folder that has packages.
    let manifest = folder.join("package.json");
    if !manifest.exists() {
        let failed = |error| Failure::Unwritable { path: manifest.clone(), error };
        fs::write(&manifest, "{ \"private\": true, \"type\": \"module\" }\n").map_err(failed)?;
    }
    let mut npm = place.program("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--install-links"]);
    workspace::run(npm.args(packages).current_dir(folder))
}

fn node(place: &Place, folder: &Path, script: &str) -> Command {
    let mut command = place.program("node");
    command.arg(script).current_dir(folder);
    command
}

fn types(place: &Place, folder: &Path) -> Result<(), Failure> {
    if install(place, folder, &[TYPESCRIPT]).is_err() {
        return place.skip("TypeScript", "npm could not fetch it");
    }
    let mut tsc = node(place, folder, "node_modules/typescript/bin/tsc");
    tsc.args(["--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom"]);
    workspace::run(tsc.args(["--module", "nodenext", "types.ts"]))
}

/// A player in Chromium and one in Rust on the same server.
fn beside_rust(place: &Place, folder: &Path) -> Result<(), Failure> {
    let Some(chromium) = tools::find_chromium(place.workspace) else { return Ok(()) };
    for name in ["peer.html", "peer.js", "peer.mjs"] {
        copy(&place.file("tests/page").join(name), &folder.join(name))?;
    }
    let mut vite = node(place, folder, "node_modules/vite/bin/vite.js");
    vite.args(["build", "--logLevel", "warn", "--outDir", "peer"]);
    vite.args(["--config", "vite.peer.mjs"]);
    copy(&place.file("tests/page/vite.peer.mjs"), &folder.join("vite.peer.mjs"))?;
    workspace::run(&mut vite)?;
    let words = "run --quiet -p reckoning-server --example beside -- node";
    let mut beside = place.workspace.cargo(words);
    beside.arg(folder.join("peer.mjs")).arg(chromium).arg(folder.join("peer"));
    workspace::run(&mut beside)
}

/// What Vite and webpack make of a page, loaded by Chromium: the golden scenes once more.
fn bundled(place: &Place, folder: &Path) -> Result<(), Failure> {
    let Some(chromium) = tools::find_chromium(place.workspace) else {
        return place.skip("browsers", "install Chromium, for example the package `chromium`");
    };
    if install(place, folder, &BUNDLERS).is_err() {
        return place.skip("browsers", "npm could not fetch Vite and webpack");
    }
    for name in ["index.html", "page.js", "webpack.config.cjs", "browser.mjs"] {
        copy(&place.file("tests/page").join(name), &folder.join(name))?;
    }
    let script = place.workspace.root.join(Place::SCRIPT);
    for (name, words) in [
        ("vite", &["node_modules/vite/bin/vite.js", "build", "--logLevel", "warn"][..]),
        ("webpack", &["node_modules/webpack-cli/bin/cli.js", "--mode", "production"][..]),
    ] {
        let out: PathBuf = folder.join("dist");
        let _ = fs::remove_dir_all(&out);
        let mut bundler = node(place, folder, words[0]);
        workspace::run(bundler.args(&words[1..]))?;
        create(&out)?;
        copy(&script, &out.join("golden.txt"))?;
        if name == "webpack" {
            copy(&folder.join("index.html"), &out.join("index.html"))?;
        }
        let printed =
            workspace::run_for_output(node(place, folder, "browser.mjs").args([chromium, "dist"]))?;
        let wanted = read(&place.workspace.root.join("testdata/bindings/results.txt"))?;
        let rows: Vec<&str> = wanted.lines().filter(|it| it.starts_with("golden js ")).collect();
        let all = rows.len() == 3 && rows.iter().all(|row| printed.contains(row));
        demand(all, &format!("what {name} built, in Chromium,"), &rows.join("; "))?;
        say::note(&format!("what {name} built gives the same bits in {chromium}"));
    }
    Ok(())
}
