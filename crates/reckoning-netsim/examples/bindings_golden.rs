//! Prints the golden scenes that every binding replays; `--write` puts them where the bindings'
//! tests read them, `testdata/bindings/golden.txt`.

#[path = "../tests/bindings/scenes.rs"]
mod scenes;

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/bindings/golden.txt");

fn main() -> std::io::Result<()> {
    if std::env::args().nth(1).as_deref() == Some("--write") {
        return std::fs::write(COMMITTED, scenes::script());
    }
    print!("{}", scenes::script());
    Ok(())
}
