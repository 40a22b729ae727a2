//! References: what a link leads to. They have no status.

use crate::names::names;

names! {
    /// What kind of evidence a reference leads to.
    pub enum ReferenceType("reference type") {
        /// Documentation.
        Docs = "docs",
        /// A repository, or something in one.
        Repo = "repo",
        /// An issue or a pull request.
        IssuePr = "issue_pr",
        /// A paper or an article.
        PaperBlog = "paper_blog",
    }
}
