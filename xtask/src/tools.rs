//! Programs and compiler targets beyond cargo: found, installed, or named with the way to get them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::Failure;
use crate::workspace::{self, Workspace};

/// What Chromium is called on one system or another.
const CHROMIUM: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The version of axe-core that the page is checked with; a newer one may have newer rules.
const AXE: &str = "4.14.0";
/// What Firefox is called.
const FIREFOX: [&str; 2] = ["firefox-esr", "firefox"];

/// Makes sure the standard library for `triple` is there.
pub fn require_target(workspace: &Workspace, triple: &str) -> Result<(), Failure> {
    // The folder is named even when nothing has been installed into it.
    let folder = workspace::read(workspace.program("rustc").args([
        "--print",
        "target-libdir",
        "--target",
        triple,
    ]))?;
    if Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    if !is_installed("rustup") {
        return Err(Failure::Missing {
            what: format!("the compiler target {triple} (and rustup, which would fetch it)"),
            remedy: "install rustup, or the target with the package manager that brought rustc",
        });
    }
    workspace::run(workspace.program("rustup").args(["target", "add", triple]))
}

/// Makes sure Node is there, which runs WebAssembly without a browser.
pub fn require_node(workspace: &Workspace) -> Result<(), Failure> {
    if is_installed("node") {
        return Ok(());
    }
    if !is_root_on_debian() {
        return Err(Failure::Missing {
            what: "Node".to_owned(),
            remedy: "install Node 20 or later, for example the package `nodejs`",
        });
    }
    install(workspace, "nodejs")
}

/// Makes sure a nightly compiler and cargo-fuzz are there.
pub fn require_fuzzer(workspace: &Workspace) -> Result<(), Failure> {
    let nightly = Command::new("rustup").args(["run", "nightly", "rustc", "--version"]).output();
    if !nightly.is_ok_and(|output| output.status.success()) {
        if !is_installed("rustup") {
            return Err(Failure::Missing {
                what: "a nightly compiler (and rustup, which would fetch it)".to_owned(),
                remedy: "install rustup, then `rustup toolchain install nightly`",
            });
        }
        let mut fetch = workspace.program("rustup");
        workspace::run(fetch.args(["toolchain", "install", "nightly", "--profile", "minimal"]))?;
    }
    if is_installed("cargo-fuzz") {
        return Ok(());
    }
    workspace::run(&mut workspace.cargo("install cargo-fuzz --locked"))
}

/// A Chromium by whatever name, installed if that is one call; `None` when there is none to be had.
pub fn find_chromium(workspace: &Workspace) -> Option<&'static str> {
    let find = || CHROMIUM.into_iter().find(|name| is_installed(name));
    find().or_else(|| {
        let installs = is_root_on_debian() && install(workspace, "chromium").is_ok();
        if installs { find() } else { None }
    })
}

/// The checker of pages for people who do not see or use a mouse, in `folder`: fetched by npm, of
/// the version that the tests were written for. `None` where npm is missing or cannot fetch.
pub fn find_axe(workspace: &Workspace, folder: &Path) -> Option<PathBuf> {
    let script = folder.join("node_modules/axe-core/axe.min.js");
    let wanted = format!("\"version\": \"{AXE}\"");
    let about = || fs::read_to_string(script.with_file_name("package.json")).unwrap_or_default();
    if !about().contains(&wanted) {
        let mut npm = workspace.program("npm");
        npm.args(["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]);
        // Without a folder of its own, npm would climb to one that has packages.
        let _ = fs::create_dir_all(folder.join("node_modules"));
        npm.arg("--prefix").arg(folder).arg(format!("axe-core@{AXE}"));
        if !is_installed("npm") || workspace::run(&mut npm).is_err() {
            return None;
        }
    }
    (about().contains(&wanted) && script.is_file()).then_some(script)
}

/// A Firefox by whatever name.
pub fn find_firefox() -> Option<&'static str> {
    FIREFOX.into_iter().find(|name| is_installed(name))
}

/// Installs a package of the system; a fresh machine has no list of them yet.
fn install(workspace: &Workspace, package: &str) -> Result<(), Failure> {
    let apt = |words: &[&str]| {
        let mut command = workspace.program("apt-get");
        workspace::run(command.args(words).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    // Old lists may do when new ones cannot be had.
    let _ = apt(&["update"]);
    apt(&["install", "-y", package])
}

/// Installs packages of the system where that is one harmless call; whether they are there then.
pub fn install_quietly(workspace: &Workspace, packages: &[&str]) -> bool {
    is_root_on_debian() && packages.iter().all(|it| install(workspace, it).is_ok())
}

/// Whether `program --version` answers.
pub fn is_installed(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn is_root_on_debian() -> bool {
    let user = Command::new("id").arg("-u").output();
    Path::new("/etc/debian_version").exists()
        && user.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_fetched_once_is_not_fetched_again() {
        let workspace = Workspace::find().unwrap();
        let folder = std::env::temp_dir().join(format!("xtask-axe-{}", std::process::id()));
        let package = folder.join("node_modules/axe-core");
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("package.json"), format!("{{ \"version\": \"{AXE}\" }}")).unwrap();
        fs::write(package.join("axe.min.js"), "").unwrap();
        let found = find_axe(&workspace, &folder);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, Some(package.join("axe.min.js")));
    }
}
