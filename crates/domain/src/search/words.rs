//! Cutting texts into words.
//!
//! Scripts that put blanks between words give their words; of the others (Chinese, Japanese, Korean, Thai and their
//! neighbours) every character and every pair of neighbours is a word. A symbol such as an emoji is a word of its own.
//! Case, width, compatibility forms and the accents of Latin, Greek and Cyrillic letters don't count.

use std::collections::HashSet;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
use unicode_segmentation::UnicodeSegmentation;

/// Raised whenever the same text gives other words, so that stored words are made anew.
pub const WORDS_VERSION: i32 = 1;

/// Longest word, in characters; of longer ones the beginning counts.
pub(super) const MAX_WORD: usize = 64;

/// How much the different words of one text may take, in bytes with a share for each. Later words are not indexed: one
/// entry of an index holds a million bytes at most.
const MAX_WORDS_BYTES: usize = 600_000;

/// What each word takes in an index beside its bytes.
const WORD_BYTES: usize = 5;

/// The words by which something is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Those of its title, each once, with blanks between.
    pub title: String,
    /// Those of its text.
    pub body: String,
}

impl Entry {
    /// Of this title and text.
    pub fn new(title: &str, body: Option<&str>) -> Self {
        Self { title: distinct(title), body: body.map(distinct).unwrap_or_default() }
    }
}

/// The different words of a text in the order in which they first stand in it.
fn distinct(text: &str) -> String {
    let mut seen = HashSet::new();
    let (mut line, mut bytes) = (String::new(), 0);
    walk(text, |run, _| {
        each_word(run, |word| {
            let size = word.len() + WORD_BYTES;
            if bytes + size > MAX_WORDS_BYTES || seen.contains(word) {
                return;
            }
            bytes += size;
            seen.insert(word.to_owned());
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        });
        Walk::On
    });
    line
}

/// The words that a stretch of a text gives to an index.
fn each_word(run: &Run<'_>, mut word: impl FnMut(&str)) {
    match run {
        Run::Word(text) | Run::Symbol(text) => word(text),
        Run::Close(characters) => {
            for (i, one) in characters.iter().enumerate() {
                word(one);
                if let Some(next) = characters.get(i + 1) {
                    word(&format!("{one}{next}"));
                }
            }
        }
    }
}

/// A stretch of a text that belongs together.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Run<'t> {
    /// A word between blanks or punctuation.
    Word(&'t str),
    /// Characters of a script without blanks, one by one.
    Close(&'t [String]),
    /// A symbol.
    Symbol(&'t str),
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    /// To the next stretch.
    On,
    /// No further.
    Enough,
}

/// Visits the stretches of a text, folded, each with the place in bytes where each of its characters begins.
pub(super) fn walk(text: &str, mut visit: impl FnMut(&Run<'_>, &[usize]) -> Walk) {
    let mut open = Open::default();
    for (at, cluster) in text.grapheme_indices(true) {
        let mut enough = false;
        fold(cluster, |c| {
            let class = class(c);
            if class != open.class || class == Class::Symbol {
                enough |= open.close(&mut visit) == Walk::Enough;
                open.class = class;
            }
            open.push(c, at);
        });
        if enough {
            return;
        }
    }
    open.close(&mut visit);
}

/// The stretch that is being read.
#[derive(Default)]
struct Open {
    class: Class,
    word: String,
    characters: Vec<String>,
    places: Vec<usize>,
}

impl Open {
    fn push(&mut self, c: char, at: usize) {
        match self.class {
            Class::Gap => return,
            Class::Word if self.places.len() >= MAX_WORD => return,
            Class::Word | Class::Symbol => self.word.push(c),
            Class::Close => self.characters.push(c.to_string()),
        }
        self.places.push(at);
    }

    fn close(&mut self, visit: &mut impl FnMut(&Run<'_>, &[usize]) -> Walk) -> Walk {
        let walk = match self.class {
            Class::Gap => Walk::On,
            Class::Word => visit(&Run::Word(&self.word), &self.places),
            Class::Symbol => visit(&Run::Symbol(&self.word), &self.places),
            Class::Close => visit(&Run::Close(&self.characters), &self.places),
        };
        self.class = Class::Gap;
        self.word.clear();
        self.characters.clear();
        self.places.clear();
        walk
    }
}

/// What a folded character is to a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Class {
    /// Between words.
    #[default]
    Gap,
    /// Part of a word.
    Word,
    /// Of a script without blanks.
    Close,
    /// A word by itself.
    Symbol,
}

fn class(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { Class::Word } else { Class::Gap };
    }
    match c {
        // Thai, Lao, Tibetan, Myanmar, Khmer, with their vowel signs and tone marks.
        '\u{e01}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17d3}' if is_letter(c) => Class::Close,
        // Han with its iteration marks, kana, bopomofo, hangul, Yi.
        '\u{1100}'..='\u{11ff}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3031}'..='\u{3035}'
        | '\u{3040}'..='\u{318f}'
        | '\u{31a0}'..='\u{31bf}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{a000}'..='\u{a48c}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{1b000}'..='\u{1b16f}'
        | '\u{20000}'..='\u{3ffff}'
            if is_letter(c) =>
        {
            Class::Close
        }
        // Arrows, signs, dingbats, flags and emoji; neither frames and blocks nor variation selectors and skin tones.
        '\u{1f3fb}'..='\u{1f3ff}' => Class::Gap,
        '\u{2190}'..='\u{23ff}' | '\u{25a0}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' => {
            Class::Symbol
        }
        '\u{fe00}'..='\u{fe0f}' | '\u{20d0}'..='\u{20ff}' => Class::Gap,
        c if is_letter(c) => Class::Word,
        _ => Class::Gap,
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// Gives the characters of one visible character without case, width and accents.
fn fold(cluster: &str, mut give: impl FnMut(char)) {
    if cluster.is_ascii() {
        cluster.chars().for_each(|c| give(c.to_ascii_lowercase()));
        return;
    }
    // Taken apart, so that accents can go; and put together again, for hangul and kana.
    for c in cluster.nfkd().filter(|c| !is_accent(*c)).nfc() {
        for c in c.to_lowercase().filter(|c| !is_accent(*c)) {
            match plain(c) {
                Some(letters) => letters.chars().for_each(&mut give),
                None => give(c),
            }
        }
    }
}

/// Marks on Latin, Greek and Cyrillic letters, vowel signs of Hebrew and Arabic. Those of other scripts are letters.
const fn is_accent(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36f}'
            | '\u{483}'..='\u{487}'
            | '\u{591}'..='\u{5bd}'
            | '\u{5bf}'
            | '\u{5c1}'..='\u{5c2}'
            | '\u{5c4}'..='\u{5c5}'
            | '\u{5c7}'
            | '\u{64b}'..='\u{65f}'
            | '\u{670}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{fe20}'..='\u{fe2f}'
    )
}

/// Letters whose stroke or ligature is no accent to Unicode.
const fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'đ' | 'ð' => "d",
        'ø' => "o",
        'ł' => "l",
        'ħ' => "h",
        'ŧ' => "t",
        'ı' => "i",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ς' => "σ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, words: &str) {
        assert_eq!(distinct(text), words, "{text}");
    }

    #[test]
    fn words_between_blanks_lose_case_and_accents() {
        check("Fix the LOGIN, then: fix-it!", "fix the login then it");
        check("Ünïcode Ærøskøbing Straße İstanbul ΟΔΟΣ ёлка", "unicode aeroskobing strasse istanbul οδοσ елка");
        check("snake_case kebab-case a.b.c v2.0", "snake case kebab a b c v2 0");
    }

    #[test]
    fn vietnamese_is_the_same_with_and_without_diacritics() {
        for text in [
            "Đăng nhập tiếng Việt",
            "Đa\u{306}ng nha\u{323}p tie\u{302}\u{301}ng Vie\u{323}\u{302}t",
            "DANG NHAP TIENG VIET",
        ] {
            check(text, "dang nhap tieng viet");
        }
    }

    #[test]
    fn scripts_without_blanks_give_characters_and_pairs() {
        check("数据库", "数 数据 据 据库 库");
        check("한국어", "한 한국 국 국어 어");
        check("データ", "テ テー ー ータ タ".replace('テ', "デ").as_str());
        check("数据。库", "数 数据 据 库");
        check("使用API调用", "使 使用 用 api 调 调用");
        check("ภาษา", "ภ ภา า าษ ษ ษา");
        assert!(distinct("𠀋𠀌").contains("𠀋𠀌"));
    }

    #[test]
    fn composed_decomposed_and_wide_forms_are_the_same() {
        check("\u{1112}\u{1161}\u{11ab}", "한");
        check("ＡＰＩ １２", "api 12");
        check("ﾃﾞｰﾀ", "デ デー ー ータ タ");
        check("か\u{3099}", "が");
        check("① ﬁne", "1 fine");
    }

    #[test]
    fn marks_of_other_scripts_are_part_of_the_word() {
        check("हिन्दी भाषा", "हिन्दी भाषा");
        check("שָׁלוֹם سَلَام", "שלום سلام");
    }

    #[test]
    fn a_symbol_is_a_word_and_punctuation_is_none() {
        check("Ship 🚀🚀 now ❤️ 👍🏽", "ship 🚀 now ❤ 👍");
        check("%_*\"'()&|!:<-> -- ... 、。「」", "");
        check("👩‍💻", "👩 💻");
        check("\0\u{1}\u{200b}\u{feff}", "");
    }

    #[test]
    fn a_long_word_counts_with_its_beginning() {
        let long = "x".repeat(1_000);
        check(&long, &"x".repeat(MAX_WORD));
    }

    #[test]
    fn an_endless_variety_of_words_ends_at_the_limit() {
        let text: String = (0..60_000_u32).filter_map(|i| char::from_u32(0x4e00 + i * 7 % 20_000)).collect();
        let line = distinct(&text);
        assert!(line.len() < MAX_WORDS_BYTES, "{}", line.len());
        let many: String = (0..200_000).map(|i| format!("w{i} ")).collect();
        let line = distinct(&many);
        let words = line.split(' ').count();
        assert!(line.len() + 4 * words <= MAX_WORDS_BYTES && words > 30_000, "{words}");
    }

    #[test]
    fn nothing_that_a_query_language_reads_is_in_a_word() {
        let text = "a'b\\c:d*e\"f(g)h&i|j!k<l>m{n}o^p~q\u{3000}r\ts\nt\u{a0}u";
        assert!(distinct(text).chars().all(|c| c.is_ascii_alphanumeric() || c == ' '), "{}", distinct(text));
    }
}
