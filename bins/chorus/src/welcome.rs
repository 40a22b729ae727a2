//! What the first run prints: all that is needed to connect a client.

use serde_json::json;

use crate::{
    setup::{Delivery, Made},
    shell,
};

/// The variable that holds the key where it is not printed.
const VARIABLE: &str = "CHORUS_API_KEY";

/// What the text is about.
pub(crate) struct Welcome<'a> {
    /// What was made.
    pub(crate) made: &'a Made,
    /// The database, without credentials.
    pub(crate) database: &'a str,
    /// The URL of the server, without a slash at its end.
    pub(crate) server: &'a str,
    /// The running executable.
    pub(crate) program: &'a str,
    /// The flags that lead another command to the same database.
    pub(crate) flags: &'a str,
}

impl Welcome<'_> {
    /// The text, with a line break at its end.
    pub(crate) fn text(&self) -> String {
        let Self { made, database, server, .. } = self;
        let Made { email, agent, key, link } = made;
        let endpoint = format!("{server}/api/mcp");
        let program = shell::quote(self.program);
        // What stands for the key in a JSON file, and in a shell.
        let (in_json, in_shell, where_to_find) = match key {
            Delivery::Printed(key) => (key.clone(), key.clone(), format!("  key       {key}   (shown this once)\n")),
            Delivery::File(path) => {
                let quoted = shell::quote(&path.to_string_lossy());
                let found = format!(
                    "  key       in the file {}\n\nThe lines below take the key from a variable. Set it first:\n\n  \
                     export {VARIABLE}=\"$(cat {quoted})\"\n",
                    path.display()
                );
                (format!("${{{VARIABLE}}}"), format!("${VARIABLE}"), found)
            }
        };
        let sign_in = match link {
            Delivery::Printed(link) => link.clone(),
            Delivery::File(path) => format!("with the link that {} holds", path.display()),
        };
        let configuration = json!({ "mcpServers": { "chorus": {
            "type": "http",
            "url": endpoint,
            "headers": { "Authorization": format!("Bearer {in_json}") },
        } } });
        let configuration = format!("{configuration:#}").replace('\n', "\n  ");
        let flags = self.flags;
        let owner = shell::quote(email);
        let url = format!(" --public-url {}", shell::quote(server));
        let set_variable = match key {
            Delivery::Printed(key) => format!("  export {VARIABLE}={key}\n"),
            Delivery::File(_) => String::new(),
        };
        format!(
            "The database was empty, so a workspace was made.\n\n\
             \x20 database  {database}\n\
             \x20 user      {email}\n\
             \x20 sign in   {sign_in}   (works once, within a day)\n\
             \x20 agent     {agent}, with every permission\n\
             {where_to_find}\n\
             Any MCP client: put this into .mcp.json, or wherever yours looks.\n\n\
             \x20 {configuration}\n\n\
             Claude Code:\n\n\
             \x20 claude mcp add --transport http chorus {endpoint} --header \"Authorization: Bearer {in_shell}\"\n\n\
             Codex, which takes the key from a variable whenever it runs:\n\n\
             {set_variable}\
             \x20 codex mcp add chorus --url {endpoint} --bearer-token-env-var {VARIABLE}\n\n\
             See what the agent can do:\n\n\
             \x20 {program} mcp list --url {server} --api-key \"{in_shell}\"\n\n\
             More agents, with presets developer_agent, pm_agent or admin_agent:\n\n\
             \x20 {program} agent create --name NAME --owner {owner} --preset developer_agent{flags}\n\n\
             More people, and another link for yourself if that one is lost:\n\n\
             \x20 {program} user invite --email ADDRESS --name NAME{flags}{url}\n\
             \x20 {program} user reset {owner}{flags}{url}\n\n"
        )
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use serde_json::Value;

    use super::*;

    const KEY: &str = "cho_0123456789012345678901234567890123456789012";
    const LINK: &str = "http://127.0.0.1:8637/enter/x";

    fn text(key: Delivery, link: Delivery) -> String {
        let made = Made { email: "owner@localhost".into(), agent: "admin", key, link };
        Welcome {
            made: &made,
            database: "sqlite:/data/chorus.db",
            server: "http://127.0.0.1:8637",
            program: "/opt/my tools/chorus",
            flags: " --data-dir /data",
        }
        .text()
    }

    /// The JSON document in the text.
    fn configuration(text: &str) -> Value {
        let (start, end) = (text.find("  {\n").unwrap(), text.find("\n  }\n").unwrap());
        serde_json::from_str(&text[start..end + 4]).unwrap()
    }

    #[test]
    fn at_a_terminal_everything_can_be_pasted_as_it_is() {
        let text = text(Delivery::Printed(KEY.into()), Delivery::Printed(LINK.into()));
        let server = &configuration(&text)["mcpServers"]["chorus"];
        assert_eq!(server["type"], "http");
        assert_eq!(server["url"], "http://127.0.0.1:8637/api/mcp");
        assert_eq!(server["headers"]["Authorization"], format!("Bearer {KEY}"));
        for line in [
            format!(
                "  claude mcp add --transport http chorus http://127.0.0.1:8637/api/mcp --header \"Authorization: Bearer {KEY}\"\n"
            ),
            format!("  export CHORUS_API_KEY={KEY}\n"),
            "  codex mcp add chorus --url http://127.0.0.1:8637/api/mcp --bearer-token-env-var CHORUS_API_KEY\n".into(),
            format!("  '/opt/my tools/chorus' mcp list --url http://127.0.0.1:8637 --api-key \"{KEY}\"\n"),
            "  '/opt/my tools/chorus' agent create --name NAME --owner owner@localhost --preset developer_agent --data-dir /data\n".into(),
            "  database  sqlite:/data/chorus.db\n".into(),
            format!("  sign in   {LINK}   (works once, within a day)\n"),
            "  '/opt/my tools/chorus' user reset owner@localhost --data-dir /data --public-url http://127.0.0.1:8637\n".into(),
        ] {
            assert!(text.contains(&line), "{line}in\n{text}");
        }
    }

    #[test]
    fn elsewhere_the_file_is_named_and_the_key_is_not_there() {
        let text = text(Delivery::File("/my data/admin.key".into()), Delivery::File("/my data/sign-in.link".into()));
        assert!(!text.contains("cho_"), "{text}");
        assert!(text.contains("in the file /my data/admin.key\n"), "{text}");
        assert!(text.contains("  sign in   with the link that /my data/sign-in.link holds"), "{text}");
        assert!(text.contains("export CHORUS_API_KEY=\"$(cat '/my data/admin.key')\"\n"), "{text}");
        let server = &configuration(&text)["mcpServers"]["chorus"];
        assert_eq!(server["headers"]["Authorization"], "Bearer ${CHORUS_API_KEY}");
        assert!(text.contains(" --api-key \"$CHORUS_API_KEY\"\n"), "{text}");
    }
}
