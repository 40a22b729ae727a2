//! The Chorus server.

fn main() {}
