//! What cargo cannot do alone: the two commands of the README.

fn main() {}
