//! Browsers by the names that people know them by.

/// What a browser calls itself names the browser and what it runs on, in this order: those that come first call
/// themselves by the names of later ones too.
const BROWSERS: &[(&str, &str)] = &[
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
];
const SYSTEMS: &[(&str, &str)] = &[
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// A short name for what a browser sends as `User-Agent`; that itself, if it is none of those that are known.
pub(crate) fn name(client: &str) -> String {
    let found = |list: &[(&'static str, &'static str)]| {
        list.iter().find(|(part, _)| client.contains(part)).map(|(_, name)| *name)
    };
    match (found(BROWSERS), found(SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} · {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, _) => client.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_called_what_people_call_it() {
        for (client, called) in [
            ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36", "Chrome · Linux"),
            ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/120.0 Safari/537.36 Edg/120.0", "Edge · Windows"),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_1) AppleWebKit/605.1 Version/17 Safari/605.1",
                "Safari · macOS",
            ),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) CriOS/120.0 Safari/604.1", "Chrome · iPhone"),
            ("Mozilla/5.0 (Android 14; Mobile; rv:121.0) Gecko/121.0 Firefox/121.0", "Firefox · Android"),
            ("curl/8.5", "curl/8.5"),
            ("", ""),
        ] {
            assert_eq!(name(client), called);
        }
    }
}
