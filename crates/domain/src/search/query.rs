//! What a query asks for.

use super::words::{Run, Walk, walk};

/// Longest query, in characters.
pub const MAX_QUERY: usize = 1_000;

/// Most terms of a query that count; later ones are passed over, since each costs a look into the index.
pub const MAX_TERMS: usize = 24;

/// A query cut into terms.
///
/// INVARIANT (terms): each term once, at most [`MAX_TERMS`], none empty, and none with a character that the languages of
/// databases' queries read as anything but a letter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    terms: Vec<Term>,
}

/// A word that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The word, folded as those of an index.
    pub word: String,
    /// Which words it finds.
    pub reach: Reach,
}

/// Which words a term finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The same word.
    Whole,
    /// Words that begin so.
    Beginning,
}

impl Query {
    /// The terms of a text. A word of two letters or more also finds what begins so; of a script without blanks each
    /// pair of neighbours is a term, or the character if it stands alone.
    pub fn new(text: &str) -> Self {
        let mut query = Self::default();
        walk(text, |run, _| {
            match run {
                Run::Word(word) if word.chars().nth(1).is_some() => query.add(word, Reach::Beginning),
                Run::Word(word) | Run::Symbol(word) => query.add(word, Reach::Whole),
                Run::Close([one]) => query.add(one, Reach::Whole),
                Run::Close(characters) => {
                    for pair in characters.windows(2) {
                        query.add(&pair.concat(), Reach::Whole);
                    }
                }
            }
            if query.terms.len() < MAX_TERMS { Walk::On } else { Walk::Enough }
        });
        query
    }

    fn add(&mut self, word: &str, reach: Reach) {
        if self.terms.len() < MAX_TERMS && self.terms.iter().all(|term| term.word != word) {
            self.terms.push(Term { word: word.to_owned(), reach });
        }
    }

    /// The terms, in the order of the query.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether it asks for nothing: it is all blanks and punctuation.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Where in a text, in bytes, the first word begins that the query asks for.
    pub(super) fn first_hit(&self, text: &str) -> Option<usize> {
        let mut first = None;
        walk(text, |run, places| {
            first = self.hit_in(run).and_then(|nth| places.get(nth)).copied();
            if first.is_none() { Walk::On } else { Walk::Enough }
        });
        first
    }

    /// The terms that a text has.
    pub fn found_in(&self, text: &str) -> Vec<&Term> {
        let mut left: Vec<&Term> = self.terms.iter().collect();
        let mut found = Vec::new();
        walk(text, |run, _| {
            left.retain(|term| {
                let hit = term.hit_in(run).is_some();
                if hit {
                    found.push(*term);
                }
                !hit
            });
            if left.is_empty() { Walk::Enough } else { Walk::On }
        });
        self.terms.iter().filter(|term| found.contains(term)).collect()
    }

    fn hit_in(&self, run: &Run<'_>) -> Option<usize> {
        self.terms.iter().filter_map(|term| term.hit_in(run)).min()
    }
}

impl Term {
    /// At which of its characters a stretch has the term.
    fn hit_in(&self, run: &Run<'_>) -> Option<usize> {
        match run {
            Run::Word(word) => {
                let hit = match self.reach {
                    Reach::Whole => *word == self.word,
                    Reach::Beginning => word.starts_with(&self.word),
                };
                hit.then_some(0)
            }
            Run::Symbol(word) => (*word == self.word).then_some(0),
            Run::Close(characters) => (0..characters.len()).find(|&i| {
                let rest = characters.iter().skip(i);
                rest.clone().take(1).eq([&self.word])
                    || rest.take(2).map(String::as_str).collect::<String>() == self.word
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let terms = Query::new(text).terms;
        let star = |reach| if reach == Reach::Beginning { "*" } else { "" };
        terms.into_iter().map(|term| format!("{}{}", term.word, star(term.reach))).collect()
    }

    #[test]
    fn words_find_what_begins_so_and_single_letters_themselves() {
        assert_eq!(terms("Fix a LOGIN fix"), ["fix*", "a", "login*"]);
        assert_eq!(terms("Việt"), ["viet*"]);
    }

    #[test]
    fn scripts_without_blanks_ask_for_pairs_or_the_only_character() {
        assert_eq!(terms("数据"), ["数据"]);
        assert_eq!(terms("数据库 한 x数"), ["数据", "据库", "한", "x", "数"]);
    }

    #[test]
    fn operators_are_words_or_nothing() {
        assert_eq!(terms("a AND b OR NOT (c) NEAR/2"), ["a", "and*", "b", "or*", "not*", "c", "near*", "2"]);
        assert_eq!(terms("title:foo* -bar & !baz | \"qux\""), ["title*", "foo*", "bar*", "baz*", "qux*"]);
        assert!(Query::new(" %%% ** -- \"\" ':' ").is_empty());
        assert_eq!(terms("🚀!"), ["🚀"]);
    }

    #[test]
    fn only_so_many_terms_count() {
        let long: String = (0..500).map(|i| format!("word{i} ")).collect();
        assert_eq!(terms(&long).len(), MAX_TERMS);
        assert_eq!(terms(&"数据库管".repeat(200)).len(), 4);
    }

    #[test]
    fn a_text_says_which_terms_it_has_and_where_the_first_is() {
        let query = Query::new("login 数据 zebra");
        let text = "Ünser Logins für 大数据";
        let found: Vec<_> = query.found_in(text).into_iter().map(|term| term.word.as_str()).collect();
        assert_eq!(found, ["login", "数据"]);
        assert_eq!(query.first_hit(text), text.find("Logins"));
        assert_eq!(Query::new("据").first_hit(text), text.find('据'));
        assert_eq!(Query::new("zebra").first_hit(text), None);
        assert_eq!(Query::new("ogin").first_hit(text), None);
    }

    #[test]
    fn what_an_index_finds_and_what_a_text_has_are_the_same() {
        let texts = ["Fix the login", "数据库管理 login", "한국어 문서", "Đăng nhập", "🚀 go", "v2.0"];
        for text in texts {
            let entry = super::super::Entry::new(text, None);
            let indexed: Vec<&str> = entry.title.split(' ').collect();
            for asked in ["log", "数据", "库", "한국", "어", "dang", "nhập", "🚀", "v", "0", "据管"] {
                for term in Query::new(asked).terms() {
                    let found = indexed.iter().any(|word| match term.reach {
                        Reach::Whole => *word == term.word,
                        Reach::Beginning => word.starts_with(&term.word),
                    });
                    assert_eq!(found, !Query::new(asked).found_in(text).is_empty(), "{asked} in {text}");
                }
            }
        }
    }
}
