//! Made-up text in which a few words are common and most are rare, as in any language.

use rand::{Rng as _, rngs::StdRng};

/// How many words there are.
pub(super) const WORDS: u32 = 4_000;

/// What words are made of.
const ONSETS: [&str; 16] = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z", "st"];
const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];

/// The `n`th word; the first are the common ones.
pub(super) fn word(n: u32) -> String {
    let mut text = String::new();
    // Three digits of base 80: every number below 512,000 has a word of its own.
    let mut rest = n.wrapping_mul(7_919) % 512_000;
    for _ in 0..3 {
        let syllable = usize::try_from(rest % 80).unwrap_or_default();
        rest /= 80;
        text.extend([ONSETS.get(syllable / 5), VOWELS.get(syllable % 5)].into_iter().flatten().copied());
    }
    text
}

/// A word by chance: the number falls off as its rank rises.
pub(super) fn pick(rng: &mut StdRng) -> String {
    word(rank(rng))
}

/// The rank of a word by chance, spread evenly over the logarithm of the rank (Zipf's law).
fn rank(rng: &mut StdRng) -> u32 {
    let power = rng.random_range(0.0..1.0_f64);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and WORDS")]
    let rank = f64::from(WORDS).powf(power) as u32;
    rank.saturating_sub(1)
}

/// So many words with blanks between them, the first letter large.
pub(super) fn sentence(rng: &mut StdRng, words: u32) -> String {
    let mut text = (0..words).map(|_| pick(rng)).collect::<Vec<_>>().join(" ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// Sentences of ten words, so many.
pub(super) fn paragraph(rng: &mut StdRng, sentences: u32) -> String {
    (0..sentences).map(|_| sentence(rng, 10) + ".").collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::collections::BTreeSet;

    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn every_word_is_another() {
        let words: BTreeSet<_> = (0..WORDS).map(word).collect();
        assert_eq!(words.len(), usize::try_from(WORDS).unwrap());
    }

    #[test]
    fn few_words_are_common_and_many_are_rare() {
        let mut rng = StdRng::seed_from_u64(1);
        let ranks: Vec<_> = (0..10_000).map(|_| rank(&mut rng)).collect();
        let common = ranks.iter().filter(|rank| **rank < 10).count();
        let rare = ranks.iter().filter(|rank| **rank > 1_000).count();
        assert!((2_000..4_000).contains(&common) && (1_000..2_500).contains(&rare), "{common} {rare}");
    }
}
