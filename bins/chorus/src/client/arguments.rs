//! Arguments of a call, from flags and files, to the byte.

use std::{
    collections::HashSet,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use serde_json::{Map, Value};

use crate::failure::Failure;

/// What the arguments begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// Nothing.
    Nothing,
    /// This JSON object.
    Text(String),
    /// The JSON object in this file.
    File(PathBuf),
}

/// `--arg` and `--arg-file`, in the order given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Overrides(Vec<Override>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Override {
    /// `--arg KEY=VALUE`, where a value may name a file.
    Text(String),
    /// `--arg-file KEY=PATH`.
    File(String),
}

const ARG: &str = "arg";
const ARG_FILE: &str = "arg-file";

/// By hand, since two flags derived apart lose their common order.
impl clap::Args for Overrides {
    fn augment_args(command: Command) -> Command {
        let arg = Arg::new(ARG)
            .long(ARG)
            .value_name("KEY=VALUE")
            .action(ArgAction::Append)
            .help("Argument as text; `KEY=@PATH` takes the content of a file, `KEY=@-` standard input, `KEY=@@X` the text `@X`");
        let file = Arg::new(ARG_FILE)
            .long(ARG_FILE)
            .value_name("KEY=PATH")
            .action(ArgAction::Append)
            .help("Argument that is the content of a file, to the byte; `-` is standard input");
        command.arg(arg).arg(file)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Overrides {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |id: &str, make: fn(String) -> Override| -> Vec<(usize, Override)> {
            let values = matches.get_many::<String>(id).into_iter().flatten().cloned().map(make);
            matches.indices_of(id).into_iter().flatten().zip(values).collect()
        };
        let mut all = given(ARG, Override::Text);
        all.extend(given(ARG_FILE, Override::File));
        all.sort_by_key(|(index, _)| *index);
        Ok(Self(all.into_iter().map(|(_, given)| given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The arguments of a call.
///
/// # Errors
/// Something is no JSON object, has no `=`, or can't be read.
pub(super) fn build(base: Base, overrides: &Overrides, sources: &mut Sources) -> Result<Map<String, Value>, Failure> {
    let mut arguments = match base {
        Base::Nothing => Map::new(),
        Base::Text(text) => object(&text)?,
        Base::File(path) => object(&sources.read(&path)?)?,
    };
    for given in &overrides.0 {
        let (key, value) = match given {
            Override::Text(pair) => {
                let (key, value) = split(pair, ARG)?;
                let value = match value.strip_prefix('@') {
                    None => value.to_owned(),
                    Some(literal) if literal.starts_with('@') => literal.to_owned(),
                    Some(path) => sources.read(Path::new(path))?,
                };
                (key, value)
            }
            Override::File(pair) => {
                let (key, path) = split(pair, ARG_FILE)?;
                (key, sources.read(Path::new(path))?)
            }
        };
        arguments.insert(key.to_owned(), Value::String(value));
    }
    Ok(arguments)
}

fn object(text: &str) -> Result<Map<String, Value>, Failure> {
    serde_json::from_str(text)
        .map_err(|error| Failure::usage(format_args!("the arguments are no JSON object: {error}")))
}

fn split<'a>(pair: &'a str, flag: &str) -> Result<(&'a str, &'a str), Failure> {
    pair.split_once('=')
        .filter(|(key, _)| !key.is_empty())
        .ok_or_else(|| Failure::usage(format_args!("--{flag} `{pair}` must be a key, `=` and a value")))
}

/// Files and standard input, which can be read only once.
#[derive(Debug, Default)]
pub(super) struct Sources {
    used: HashSet<&'static str>,
}

impl Sources {
    /// A file's content as it is: no byte is added, dropped or changed.
    fn read(&mut self, path: &Path) -> Result<String, Failure> {
        const STDIN: &str = "-";
        let shown = path.display();
        let unreadable = |error| Failure::usage(format_args!("can't read `{shown}`: {error}"));
        let bytes = if path == Path::new(STDIN) {
            if !self.used.insert(STDIN) {
                return Err(Failure::usage("standard input can be used for one argument only"));
            }
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).map_err(unreadable)?;
            bytes
        } else {
            fs::read(path).map_err(unreadable)?
        };
        String::from_utf8(bytes)
            .map_err(|_| Failure::usage(format_args!("`{shown}` is not UTF-8, so it can't be sent as text")))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use clap::Args as _;
    use serde_json::json;

    use super::*;

    /// The arguments that these words make, after a base.
    fn built(base: Base, words: &[String]) -> Result<Value, String> {
        let command = Overrides::augment_args(Command::new("t").no_binary_name(true));
        let matches = command.try_get_matches_from(words).map_err(|error| error.to_string())?;
        let overrides = Overrides::from_arg_matches(&matches).map_err(|error| error.to_string())?;
        build(base, &overrides, &mut Sources::default()).map(Value::Object).map_err(|failure| failure.to_string())
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn the_later_wins_whichever_flag_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, "file").unwrap();
        let file = format!("k={}", path.display());
        let base = || Base::Text(r#"{"k": 1, "n": [1]}"#.into());
        assert_eq!(built(base(), &[]), Ok(json!({"k": 1, "n": [1]})));
        let flags = |given: &[&str]| built(base(), &words(given)).map(|value| value.get("k").cloned());
        assert_eq!(flags(&["--arg", "k=text"]), Ok(Some(json!("text"))));
        assert_eq!(flags(&["--arg", "k=text", "--arg-file", &file]), Ok(Some(json!("file"))));
        assert_eq!(flags(&["--arg-file", &file, "--arg", "k=text"]), Ok(Some(json!("text"))));
        assert_eq!(flags(&["--arg=k=1", "--arg=k=2"]), Ok(Some(json!("2"))));
    }

    #[test]
    fn a_file_arrives_to_the_byte() {
        let folder = tempfile::tempdir().unwrap();
        for (number, content) in [
            "",
            "\n",
            "no line break at the end",
            "\"quotes\" 'single' `back` $HOME $(x) \\ \\n \u{8}\u{c}\u{1b}\u{7f}",
            "\u{feff}BOM and\r\nCRLF\rCR\n\n",
            "项目 계획 Tiếng Việt Tie\u{302}\u{301}ng 👩‍💻 \u{200b}\u{2028}𠀋",
            "{\"json\": [true]}",
            "@not-a-file",
        ]
        .into_iter()
        .enumerate()
        {
            let path = folder.path().join(format!("{number} =@.txt"));
            fs::write(&path, content).unwrap();
            let path = path.display();
            for flags in
                [vec!["--arg-file".to_owned(), format!("k={path}")], vec!["--arg".to_owned(), format!("k=@{path}")]]
            {
                assert_eq!(built(Base::Nothing, &flags), Ok(json!({ "k": content })), "{flags:?}");
            }
        }
    }

    #[test]
    fn a_literal_is_taken_as_it_is() {
        let literal = |pair: &str| built(Base::Nothing, &words(&["--arg", pair]));
        assert_eq!(literal("k="), Ok(json!({"k": ""})));
        assert_eq!(literal("k=a=b"), Ok(json!({"k": "a=b"})));
        assert_eq!(literal("k= x \n"), Ok(json!({"k": " x \n"})));
        assert_eq!(literal("k=@@home"), Ok(json!({"k": "@home"})));
        assert_eq!(literal("k=@@@"), Ok(json!({"k": "@@"})));
        assert_eq!(literal("k=5"), Ok(json!({"k": "5"})), "the server reads it by the declared type");
    }

    #[test]
    fn the_base_can_be_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("args.json");
        fs::write(&path, "{\"title\": \"\u{d55c}\\n\"}\n").unwrap();
        assert_eq!(built(Base::File(path), &[]), Ok(json!({"title": "\u{d55c}\n"})));
    }

    #[test]
    fn what_can_not_be_read_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let binary = folder.path().join("binary");
        fs::write(&binary, b"\xff\xfe").unwrap();
        for (base, given, named) in [
            (Base::Text("[1]".into()), vec![], "no JSON object"),
            (Base::Text("{".into()), vec![], "no JSON object"),
            (Base::Text(String::new()), vec![], "no JSON object"),
            (Base::File(folder.path().join("gone")), vec![], "gone"),
            (Base::Nothing, words(&["--arg", "k"]), "`k`"),
            (Base::Nothing, words(&["--arg", "=v"]), "`=v`"),
            (Base::Nothing, words(&["--arg-file", "k"]), "`k`"),
            (Base::Nothing, words(&["--arg", "k=@"]), "can't read ``"),
            (Base::Nothing, vec!["--arg-file".into(), format!("k={}", binary.display())], "not UTF-8"),
        ] {
            let failed = built(base, &given);
            assert!(failed.as_ref().is_err_and(|text| text.contains(named)), "{failed:?} names {named}");
        }
    }
}
