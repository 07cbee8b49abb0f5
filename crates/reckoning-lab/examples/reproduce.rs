//! Runs the experiments of a document again: `cargo run --release -p reckoning-lab --example
//! reproduce thesis`.
//!
//! Prints each claim with what we measured, then the tables behind them. Without a name all
//! documents are run.

use std::error::Error;

use reckoning_lab::reproduce::{Document, reproduce};

fn main() -> Result<(), Box<dyn Error>> {
    let named: Vec<Document> =
        std::env::args().skip(1).map(|name| name.parse()).collect::<Result<_, _>>()?;
    let documents = if named.is_empty() { Document::ALL.to_vec() } else { named };
    for document in documents {
        print!("{}", reproduce(document, &|step| eprintln!("{step}")));
    }
    Ok(())
}
