//! Small expressions over a field before it is checked: steps between bars, such as
//! `trim | lower | replace("-", "")`. Texts in, texts out; a step may also say NULL.

use std::borrow::Cow;

use super::fault::{Checked, fault, shown};
use super::temporal::DateFormat;
use super::text::utf8;
use shared::error::ErrorCode;

/// The steps, for messages.
const KNOWN: &str = "trim, ltrim, rtrim, lower, upper, replace(a, b), substr(from, length), \
                     left(n), right(n), prefix(text), suffix(text), nullif(text), \
                     default(text), year, month, day, date, time";

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Trim {
        start: bool,
        end: bool,
    },
    Lower,
    Upper,
    Replace(String, String),
    /// From a character, counted from 1, and how many.
    Substr(usize, Option<usize>),
    Right(usize),
    Prefix(String),
    Suffix(String),
    NullIf(String),
    Default(String),
    Part(Part),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Year,
    Month,
    Day,
    Date,
    Time,
}

/// A parsed expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transform {
    steps: Vec<Step>,
    /// How the dates are written whose parts are taken.
    format: Option<DateFormat>,
}

impl Transform {
    /// Reads an expression.
    pub fn parse(text: &str, format: Option<DateFormat>) -> Result<Self, String> {
        let mut rest = text.trim_start();
        let mut steps = Vec::new();
        loop {
            let (step, after) = step(rest)?;
            steps.push(step);
            rest = after.trim_start();
            if rest.is_empty() {
                return Ok(Self { steps, format });
            }
            rest = rest
                .strip_prefix('|')
                .ok_or_else(|| format!("a bar is missing before \"{rest}\""))?
                .trim_start();
        }
    }

    /// Applies it; none is NULL.
    pub fn apply<'a>(&self, bytes: &'a [u8]) -> Checked<Option<Cow<'a, [u8]>>> {
        let mut text = Cow::Borrowed(utf8(bytes)?);
        for step in &self.steps {
            match self.one(step, text)? {
                Some(next) => text = next,
                None => return Ok(None),
            }
        }
        Ok(Some(match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }))
    }

    fn one<'a>(&self, step: &Step, text: Cow<'a, str>) -> Checked<Option<Cow<'a, str>>> {
        let owned = |text: String| Ok(Some(Cow::Owned(text)));
        match step {
            Step::Trim { start, end } => {
                let mut kept = &*text;
                if *start {
                    kept = kept.trim_start();
                }
                if *end {
                    kept = kept.trim_end();
                }
                if kept.len() == text.len() { Ok(Some(text)) } else { owned(kept.to_owned()) }
            }
            Step::Lower => owned(text.to_lowercase()),
            Step::Upper => owned(text.to_uppercase()),
            Step::Replace(from, to) => owned(text.replace(from.as_str(), to)),
            Step::Substr(from, count) => {
                let chars = text.chars().skip(from - 1);
                owned(chars.take(count.unwrap_or(usize::MAX)).collect())
            }
            Step::Right(count) => {
                let skipped = text.chars().count().saturating_sub(*count);
                owned(text.chars().skip(skipped).collect())
            }
            Step::Prefix(prefix) => owned(format!("{prefix}{text}")),
            Step::Suffix(suffix) => owned(format!("{text}{suffix}")),
            Step::NullIf(marker) => Ok((*text != **marker).then_some(text)),
            Step::Default(value) => {
                if text.is_empty() {
                    owned(value.clone())
                } else {
                    Ok(Some(text))
                }
            }
            Step::Part(_) if text.is_empty() => Ok(Some(text)),
            Step::Part(part) => owned(self.part(*part, &text)?),
        }
    }

    fn part(&self, part: Part, text: &str) -> Checked<String> {
        let bytes = text.as_bytes();
        let moment = match &self.format {
            Some(format) => format.read(bytes),
            None => super::temporal::read_iso(bytes),
        };
        let moment = moment.filter(|m| m.flaw().is_none()).ok_or_else(|| {
            fault(
                ErrorCode::InvalidValue,
                format!("{} is no date of which a part could be taken", shown(bytes)),
            )
        })?;
        Ok(match part {
            Part::Year => format!("{:04}", moment.year),
            Part::Month => moment.month.to_string(),
            Part::Day => moment.day.to_string(),
            Part::Date => format!("{:04}-{:02}-{:02}", moment.year, moment.month, moment.day),
            Part::Time => {
                let clock = format!("{:02}:{:02}:{:02}", moment.hour, moment.minute, moment.second);
                if moment.nanos == 0 {
                    clock
                } else {
                    let fraction = format!("{:09}", moment.nanos);
                    format!("{clock}.{}", fraction.trim_end_matches('0'))
                }
            }
        })
    }
}

fn step(text: &str) -> Result<(Step, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let (args, rest) = arguments(rest)?;
    let lower = name.to_ascii_lowercase();
    let number = |i: usize| -> Result<usize, String> {
        let text = args.get(i).map(String::as_str).unwrap_or_default();
        text.parse().map_err(|_| format!("{lower} wants a number, not \"{text}\""))
    };
    let text_arg = |i: usize| args.get(i).cloned().unwrap_or_default();
    let step = match (lower.as_str(), args.len()) {
        ("trim", 0) => Step::Trim { start: true, end: true },
        ("ltrim", 0) => Step::Trim { start: true, end: false },
        ("rtrim", 0) => Step::Trim { start: false, end: true },
        ("lower", 0) => Step::Lower,
        ("upper", 0) => Step::Upper,
        ("replace", 2) if !text_arg(0).is_empty() => Step::Replace(text_arg(0), text_arg(1)),
        ("substr" | "substring", 1 | 2) => {
            let from = number(0)?;
            if from == 0 {
                return Err("substr counts characters from 1".to_owned());
            }
            Step::Substr(from, if args.len() == 2 { Some(number(1)?) } else { None })
        }
        ("left", 1) => Step::Substr(1, Some(number(0)?)),
        ("right", 1) => Step::Right(number(0)?),
        ("prefix", 1) => Step::Prefix(text_arg(0)),
        ("suffix", 1) => Step::Suffix(text_arg(0)),
        ("nullif", 1) => Step::NullIf(text_arg(0)),
        ("default", 1) => Step::Default(text_arg(0)),
        ("year", 0) => Step::Part(Part::Year),
        ("month", 0) => Step::Part(Part::Month),
        ("day", 0) => Step::Part(Part::Day),
        ("date", 0) => Step::Part(Part::Date),
        ("time", 0) => Step::Part(Part::Time),
        _ => {
            return Err(format!(
                "\"{name}\" with {} arguments is not known; there are {KNOWN}",
                args.len()
            ));
        }
    };
    Ok((step, rest))
}

/// `("a", 'b', 3)`, or nothing; quotes within a text are doubled or follow a backslash.
fn arguments(text: &str) -> Result<(Vec<String>, &str), String> {
    let Some(inner) = text.trim_start().strip_prefix('(') else { return Ok((Vec::new(), text)) };
    let mut args = Vec::new();
    let mut chars = inner.char_indices().peekable();
    let mut arg: Option<String> = None;
    while let Some((at, c)) = chars.next() {
        match c {
            ')' => {
                args.extend(arg);
                return Ok((args, inner.get(at + 1..).unwrap_or_default()));
            }
            ',' => args.push(arg.take().unwrap_or_default()),
            '"' | '\'' => {
                let mut quoted = String::new();
                loop {
                    match chars.next() {
                        Some((_, '\\')) => quoted.extend(chars.next().map(|(_, c)| c)),
                        Some((_, end)) if end == c => {
                            if chars.next_if(|(_, next)| *next == c).is_none() {
                                break;
                            }
                            quoted.push(c);
                        }
                        Some((_, other)) => quoted.push(other),
                        None => return Err(format!("a quote is missing in \"{text}\"")),
                    }
                }
                arg = Some(quoted);
            }
            c if c.is_whitespace() => {}
            c => arg.get_or_insert_default().push(c),
        }
    }
    Err(format!("a ) is missing in \"{text}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(expression: &str, text: &str) -> Option<String> {
        let transform = Transform::parse(expression, None).expect(expression);
        let value = transform.apply(text.as_bytes()).expect(text)?;
        Some(String::from_utf8(value.into_owned()).expect("UTF-8"))
    }

    #[test]
    fn steps_do_what_they_say() {
        for (expression, text, want) in [
            ("trim", "  a b ", "a b"),
            ("ltrim | upper", " äb ", "ÄB "),
            ("lower", "ÄB", "äb"),
            ("replace(\"-\", \"\")", "1-2-3", "123"),
            ("replace('a', \"\"\"\")", "ab", "\"b"),
            ("replace(\"\\\"\", ',')", "a\"b", "a,b"),
            ("substr(2, 3)", "häuser", "äus"),
            ("substr(4)", "häuser", "ser"),
            ("left(2)", "häuser", "hä"),
            ("right(2)", "häuser", "er"),
            ("prefix(\"+\") | suffix('!')", "a", "+a!"),
            ("default('?')", "", "?"),
            ("year", "2024-03-05 10:15:30", "2024"),
            ("month", "2024-03-05", "3"),
            ("date", "2024-03-05T10:15:30", "2024-03-05"),
            ("time", "2024-03-05T10:15:30.250", "10:15:30.25"),
        ] {
            assert_eq!(apply(expression, text).as_deref(), Some(want), "{expression}");
        }
        assert_eq!(apply("trim | nullif(\"n/a\")", " n/a "), None);
        for expression in
            ["", "shout", "trim lower", "replace(\"a\")", "substr(0)", "left(x)", "replace(\"a, b)"]
        {
            assert!(Transform::parse(expression, None).is_err(), "{expression}");
        }
    }
}
