//! Markdown from agents and people, as HTML that can do nothing but be read.

use std::{collections::HashSet, sync::LazyLock};

use ammonia::Builder;
use chorus_domain::mention::readable;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::html::{Html, escape};

/// What may stand in rendered text. No style, no class but for code, no form, nothing that loads by itself.
static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::default();
    cleaner
        .tags(HashSet::from([
            "a",
            "blockquote",
            "br",
            "code",
            "dd",
            "del",
            "details",
            "dl",
            "dt",
            "em",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "hr",
            "kbd",
            "li",
            "ol",
            "p",
            "pre",
            "strong",
            "sub",
            "summary",
            "sup",
            "table",
            "tbody",
            "td",
            "th",
            "thead",
            "tr",
            "ul",
        ]))
        .tag_attributes(
            [
                ("a", HashSet::from(["href", "title"])),
                ("ol", HashSet::from(["start"])),
                ("th", HashSet::from(["align"])),
            ]
            .into_iter()
            .chain([("td", HashSet::from(["align"]))])
            .collect(),
        )
        .generic_attributes(HashSet::new())
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .link_rel(Some("noopener noreferrer nofollow ugc"))
        .set_tag_attribute_value("a", "target", "_blank");
    cleaner
});

/// Most quotes, lists, items and emphasis inside of each other.
const DEEPEST: usize = 64;

/// Markdown (CommonMark with tables, strikethrough, task lists and footnotes) as sanitised HTML.
///
/// Mentions are shown as the names that they hold. Headings begin below those of the page, and none is more than one rank
/// below the one before it, whatever ranks the text uses: who hears a page finds the way by them. An image is shown as a
/// link to it: loading one tells its server who reads what, so that it takes a click.
pub(crate) fn render(text: &str) -> Html {
    let text = &*readable(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut image: Option<String> = None;
    let mut above: Vec<HeadingLevel> = Vec::new();
    let mut depth = 0;
    let parsed = Parser::new_ext(text, options).filter(|event| is_shallow(event, &mut depth));
    let events = parsed.map(|event| match event {
        Event::Start(Tag::Image { dest_url, .. }) => {
            image = Some(dest_url.to_string());
            Event::Html(format!("<a href=\"{}\">🖼 ", escape(&dest_url)).into())
        }
        Event::End(TagEnd::Image) => {
            let link = image.take().unwrap_or_default();
            Event::Html(format!(" ({})</a>", escape(&link)).into())
        }
        // What was written as HTML is shown as it was written.
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        Event::TaskListMarker(done) => Event::Text(if done { "☑ ".into() } else { "☐ ".into() }),
        Event::Start(Tag::Heading { level, .. }) => {
            while above.last().is_some_and(|upper| *upper >= level) {
                above.pop();
            }
            above.push(level);
            Event::Html(format!("<h{}>", rank(above.len())).into())
        }
        Event::End(TagEnd::Heading(_)) => Event::Html(format!("</h{}>\n", rank(above.len())).into()),
        other => other,
    });
    let mut rendered = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut rendered, events);
    Html::trusted(CLEANER.clean(&rendered).to_string())
}

/// Whether an event is kept: quotes, lists and emphasis inside of so many others are shown as what they hold. Making a tree of them
/// takes time that grows with the square of its depth, and nobody reads it.
fn is_shallow(event: &Event<'_>, depth: &mut usize) -> bool {
    match event {
        Event::Start(
            Tag::BlockQuote(_) | Tag::List(_) | Tag::Item | Tag::Emphasis | Tag::Strong | Tag::Strikethrough,
        ) => {
            *depth += 1;
            *depth <= DEEPEST
        }
        Event::End(
            TagEnd::BlockQuote(_)
            | TagEnd::List(_)
            | TagEnd::Item
            | TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough,
        ) => {
            *depth = depth.saturating_sub(1);
            *depth < DEEPEST
        }
        _ => true,
    }
}

/// The rank in the page of a heading that is the `depth`th of those around it.
fn rank(depth: usize) -> usize {
    (depth + 2).min(6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(render(text).to_string().trim(), expected, "{text}");
    }

    #[test]
    fn markdown_becomes_html() {
        check("*a* **b** `c<d`", "<p><em>a</em> <strong>b</strong> <code>c&lt;d</code></p>");
        check("# Top", "<h3>Top</h3>");
        check("## Why\n\n#### Deep\n\n## Then", "<h3>Why</h3>\n<h4>Deep</h4>\n<h3>Then</h3>");
        check("- [x] done\n- [ ] not", "<ul>\n<li>☑ done</li>\n<li>☐ not</li>\n</ul>");
        let table = render("|a|b|\n|-|-|\n|1|2|").to_string();
        assert!(table.contains("<td>1</td>"), "{table}");
    }

    #[test]
    fn a_mention_is_a_name() {
        check("Ask @[Ada L](user:0192f3a0-7d4c-7b1e-9a55-3f0c2b6d8e11)!", "<p>Ask @Ada L!</p>");
    }

    #[test]
    fn links_open_elsewhere_and_tell_nothing() {
        check(
            "[x](https://example.com)",
            "<p><a href=\"https://example.com\" target=\"_blank\" rel=\"noopener noreferrer nofollow ugc\">x</a></p>",
        );
    }

    #[test]
    fn what_could_run_or_load_is_gone() {
        for text in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "[x](data:text/html,x)",
            "![x](javascript:alert(1))",
            "<a href=\"javascript:alert(1)\" onclick=\"x\">y</a>",
            "<svg onload=alert(1)>",
            "<iframe src=\"https://example.com\"></iframe>",
            "[x](https://example.com \"\\\" onclick=alert(1)\")",
            "<style>*{display:none}</style>",
            "<form action=/do/x><button>y</button></form>",
            "![a](https://example.com/\"onerror=alert(1))",
        ] {
            let html = render(text).to_string();
            let tags: Vec<&str> = html.split('<').skip(1).filter_map(|part| part.split('>').next()).collect();
            for never in ["script", "img", "svg", "iframe", "style", "form", "button"] {
                assert!(!tags.iter().any(|tag| tag.starts_with(never)), "{text}: {html}");
            }
            for never in ["href=\"javascript", "href=\"data"] {
                assert!(!tags.iter().any(|tag| tag.contains(never)), "{text}: {html}");
            }
            // Outside of texts and of quoted values no tag has a handler.
            for tag in tags {
                let bare: String = tag.split('"').step_by(2).collect();
                assert!(!bare.contains(" on"), "{text}: {html}");
            }
        }
    }

    #[test]
    fn an_image_takes_a_click() {
        check(
            "![plan](https://example.com/p.png)",
            "<p><a href=\"https://example.com/p.png\" target=\"_blank\" rel=\"noopener noreferrer nofollow ugc\">🖼 plan \
             (https://example.com/p.png)</a></p>",
        );
    }

    #[test]
    fn much_text_takes_little_time() {
        let deep = "> ".repeat(20_000) + "x";
        assert!(!render(&deep).to_string().is_empty());
        let html = render(&deep).to_string();
        assert_eq!((html.matches("<blockquote>").count(), html.matches("</blockquote>").count()), (DEEPEST, DEEPEST));
        assert!(html.contains("<p>x</p>"), "{html}");
        let stressed = "*a ".repeat(20_000) + &"a*".repeat(20_000);
        assert!(render(&stressed).to_string().contains("<em>a"));
        let listed = "- ".repeat(5_000) + "x";
        assert!(render(&listed).to_string().contains('x'));
        let brackets = "[".repeat(50_000);
        assert!(render(&brackets).to_string().contains("[["));
    }
}
