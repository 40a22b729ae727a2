//! How much is tried, and from which seed.

use std::io::Write as _;

use rand::{SeedableRng as _, rngs::StdRng};

/// Whether the long form was asked for.
fn is_full() -> bool {
    std::env::var("CHORUS_TORTURE").is_ok_and(|form| form == "full")
}

/// How often something is done in the short form and in the long one.
pub(crate) fn times(short: usize, full: usize) -> usize {
    if is_full() { full } else { short }
}

/// The seed of a test: a new one, or the one to be repeated. It is shown where the test fails, and in the long form.
pub(crate) fn seed(test: &str) -> u64 {
    let seed = std::env::var("CHORUS_TORTURE_SEED").ok().map(|text| text.parse().unwrap());
    let seed = seed.unwrap_or_else(rand::random);
    say(&format!("{test}: CHORUS_TORTURE_SEED={seed}"));
    seed
}

/// What is random in a part of a test.
pub(crate) fn random(seed: u64, part: u64) -> StdRng {
    StdRng::seed_from_u64(seed.wrapping_add(part.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// Tells how far a test is.
pub(crate) fn say(text: &str) {
    // Nobody may be there to be told.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
