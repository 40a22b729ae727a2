//! How good a match is.

use std::cmp::Ordering;

/// How much of a query something has. Greater is better: more terms first, then more of them in the title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score {
    /// Terms of the query that it has, in its title or its text.
    pub matched: u32,
    /// Terms that its title has.
    pub titled: u32,
}

impl Score {
    /// As one number, for a query of so many terms: a whole for each term, and a part of one for each in the title.
    pub fn value(self, terms: usize) -> f64 {
        let terms = u32::try_from(terms).unwrap_or(u32::MAX).saturating_add(1);
        rounded(f64::from(self.matched) + f64::from(self.titled.min(terms)) / f64::from(terms))
    }
}

/// The number of something that stands beside a match but has nothing of the query itself: below every match, and the
/// lower the worse the match.
pub fn behind(score: f64, terms: usize) -> f64 {
    let most = f64::from(u32::try_from(terms).unwrap_or(u32::MAX)) + 1.0;
    rounded((score / most).clamp(0.0, 1.0) / 2.0)
}

/// To three digits: the order stands in the list, the number only hints at it.
fn rounded(value: f64) -> f64 {
    match value.partial_cmp(&0.0) {
        Some(Ordering::Greater) => (value * 1_000.0).round() / 1_000.0,
        Some(Ordering::Equal | Ordering::Less) | None => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_terms_come_before_more_of_them_in_the_title() {
        let score = |matched, titled| Score { matched, titled };
        assert!(score(2, 0) > score(1, 1));
        assert!(score(2, 1) > score(2, 0));
        let values = [score(3, 3), score(3, 1), score(3, 0), score(2, 2), score(1, 0)].map(|score| score.value(3));
        assert_eq!(values, [3.75, 3.25, 3.0, 2.5, 1.0]);
    }

    #[test]
    fn what_stands_beside_a_match_is_below_every_match() {
        let best = behind(Score { matched: 24, titled: 24 }.value(24), 24);
        assert!(best < Score { matched: 1, titled: 0 }.value(24), "{best}");
        assert!(behind(3.75, 3) > behind(1.0, 3));
        assert_eq!(behind(f64::NAN, 3), 0.0);
    }
}
