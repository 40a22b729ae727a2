//! What the protocol reads in the header section of an HTTP request.

/// The header lines that matter to the protocol, as values.
///
/// `Mcp-Session-Id` and `Last-Event-ID` are missing on purpose: nothing here has sessions or resumable streams, so both
/// are ignored (protocol checklist §2.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// `Content-Type`; several lines joined by a comma, which no media type matches.
    pub content_type: Option<String>,
    /// `Accept`, its lines joined by commas.
    pub accept: Option<String>,
    /// Every line of `MCP-Protocol-Version`.
    pub protocol_version: Vec<String>,
    /// Every line of `Mcp-Method`.
    pub mcp_method: Vec<String>,
    /// Every line of `Mcp-Name`.
    pub mcp_name: Vec<String>,
    /// Every line of an `Mcp-Param-*` header: what stands for the star, in any case, and the value.
    pub params: Vec<(String, String)>,
}

impl Head {
    /// Picks out of all header lines of a request the ones that matter. Names are compared without case; bytes that are
    /// not UTF-8 are replaced, and so match nothing.
    pub fn from_lines<'a>(lines: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut head = Self::default();
        for (name, value) in lines {
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            // Most lines don't matter, and are not looked at.
            let value = || String::from_utf8_lossy(value).into_owned();
            if is("content-type") {
                join(&mut head.content_type, &value());
            } else if is("accept") {
                join(&mut head.accept, &value());
            } else if is("mcp-protocol-version") {
                head.protocol_version.push(value());
            } else if is("mcp-method") {
                head.mcp_method.push(value());
            } else if is("mcp-name") {
                head.mcp_name.push(value());
            } else if let Some((prefix, param)) = name.split_at_checked(PARAM.len())
                && prefix.eq_ignore_ascii_case(PARAM)
            {
                head.params.push((param.to_ascii_lowercase(), value()));
            }
        }
        head
    }
}

/// What the names of headers begin with that mirror arguments.
const PARAM: &str = "mcp-param-";

fn join(joined: &mut Option<String>, value: &str) {
    match joined {
        Some(before) => {
            before.push_str(", ");
            before.push_str(value);
        }
        None => *joined = Some(value.to_owned()),
    }
}

/// A header that may stand at most once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Not sent.
    Absent,
    /// Sent once; the value without surrounding whitespace.
    One(&'a str),
    /// Sent several times, which makes it malformed whatever the values (protocol checklist §2.6).
    Repeated,
}

impl<'a> Line<'a> {
    /// What `lines`, all lines of one header, come to.
    pub(crate) fn of(lines: impl IntoIterator<Item = &'a String>) -> Self {
        let mut lines = lines.into_iter();
        match (lines.next(), lines.next()) {
            (None, _) => Self::Absent,
            (Some(value), None) => Self::One(trim(value)),
            (Some(_), Some(_)) => Self::Repeated,
        }
    }
}

/// The value without the whitespace that HTTP allows around it (RFC 9110 §5.6.3).
pub(crate) fn trim(value: &str) -> &str {
    value.trim_matches([' ', '\t'])
}
