//! How a backend's index of words is asked. The words of a query hold letters and signs only (see
//! [`Query`](chorus_domain::search::Query)), so quoting them is all that it takes.

use chorus_domain::search::{Reach, Term};

/// The words of a backend's query language, and the SQL around a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking {
    /// What stands before a query that looks anywhere; names the entries `e`.
    pub(crate) anywhere: &'static str,
    /// What stands before a query that looks into titles.
    pub(crate) in_title: &'static str,
    /// What stands behind a query.
    pub(crate) after: &'static str,
    /// By what entries are sorted so that those made last come first, as far as the index tells them without reading all.
    pub(crate) newest: &'static str,
    /// What stands around a query that looks into titles, inside it.
    pub(crate) title: (&'static str, &'static str),
    /// What stands around a word.
    pub(crate) quote: char,
    /// What stands behind a word that is a beginning.
    pub(crate) beginning: &'static str,
    /// Both.
    pub(crate) and: &'static str,
    /// At least one.
    pub(crate) or: &'static str,
    /// The statement that makes the index anew from its entries, where there is an index apart from them.
    pub(crate) rebuild: Option<&'static str>,
}

impl Asking {
    /// The query for one term.
    pub(crate) fn term(&self, term: &Term) -> String {
        let beginning = match term.reach {
            Reach::Whole => "",
            Reach::Beginning => self.beginning,
        };
        format!("{quote}{}{quote}{beginning}", term.word, quote = self.quote)
    }

    /// The query for one term in a title.
    pub(crate) fn title(&self, term: &Term) -> String {
        format!("{}{}{}", self.title.0, self.term(term), self.title.1)
    }

    /// The query for all of these.
    pub(crate) fn all(&self, terms: &[Term]) -> String {
        self.joined(terms, self.and)
    }

    /// The query for at least one of these.
    pub(crate) fn any(&self, terms: &[Term]) -> String {
        self.joined(terms, self.or)
    }

    fn joined(&self, terms: &[Term], with: &str) -> String {
        terms.iter().map(|term| self.term(term)).collect::<Vec<_>>().join(with)
    }
}

#[cfg(test)]
mod tests {
    use chorus_domain::search::Query;

    #[test]
    fn each_language_has_its_own_words() {
        let query = Query::new("login 数据");
        let [login, _] = query.terms() else { unreachable!("two terms") };
        let (pg, sqlite) = (crate::pg::WORDS, crate::sqlite::WORDS);
        assert_eq!((pg.term(login), pg.title(login)), ("'login':*".into(), "'login':*".into()));
        assert_eq!((sqlite.term(login), sqlite.title(login)), ("\"login\"*".into(), "title : (\"login\"*)".into()));
        assert_eq!(pg.all(query.terms()), "'login':* & '数据'");
        assert_eq!(pg.any(query.terms()), "'login':* | '数据'");
        assert_eq!(sqlite.all(query.terms()), "\"login\"* AND \"数据\"");
        assert_eq!(sqlite.any(query.terms()), "\"login\"* OR \"数据\"");
    }
}
