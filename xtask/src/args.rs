//! A command line small enough to need no library: flags, values, and a complaint about the rest.

use anyhow::{Result, bail};

/// The words after `cargo xtask`, taken out one by one.
pub struct Args {
    words: Vec<String>,
}

impl Args {
    /// The arguments of this process, without the program's name.
    pub fn from_env() -> Self {
        Self { words: std::env::args().skip(1).collect() }
    }

    /// The first word that is left: the command, or a bench's name.
    pub fn command(&mut self) -> Option<String> {
        (!self.words.is_empty()).then(|| self.words.remove(0))
    }

    /// Whether `name` was given.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() < before
    }

    /// The value of `--name VALUE` or `--name=VALUE`.
    pub fn value(&mut self, name: &str) -> Result<Option<String>> {
        let with_equals = format!("{name}=");
        let Some(at) =
            self.words.iter().position(|word| word == name || word.starts_with(&with_equals))
        else {
            return Ok(None);
        };
        let word = self.words.remove(at);
        if let Some(value) = word.strip_prefix(&with_equals) {
            return Ok(Some(value.to_owned()));
        }
        if at == self.words.len() {
            bail!("{name} needs a value");
        }
        Ok(Some(self.words.remove(at)))
    }

    /// Fails when something was not understood.
    pub fn finish(&self) -> Result<()> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => bail!("`{word}` is not understood here; see `cargo xtask help`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Args {
        Args { words: line.split_whitespace().map(str::to_owned).collect() }
    }

    #[test]
    fn takes_flags_and_values_in_any_order() {
        let mut args = args("up --port 8000 --release --data=/tmp/x");
        assert_eq!(args.command().as_deref(), Some("up"));
        assert!(args.flag("--release"));
        assert!(!args.flag("--release"));
        assert_eq!(args.value("--data").unwrap().as_deref(), Some("/tmp/x"));
        assert_eq!(args.value("--port").unwrap().as_deref(), Some("8000"));
        args.finish().unwrap();
    }

    #[test]
    fn a_missing_value_and_a_stray_word_are_complained_about() {
        assert!(args("--port").value("--port").is_err());
        assert!(args("--prot 1").finish().is_err());
    }
}
