//! Prints the scene table: `cargo run --release -p reckoning-lab --example scenes`.

fn main() {
    println!("{}", reckoning_lab::scene_table().unwrap());
}
