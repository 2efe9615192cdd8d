//! What was detected in a file and can be put right in place: the choices of each, how a choice
//! is written into the options, and how it is read back.

use shared::ImportOptions;
use shared::options::Format;
use shared::profile::{LineEnd, Profile};
use shared::wire;

/// One thing that can be overridden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum About {
    /// The format of the records.
    Format,
    /// Between fields.
    Delimiter,
    /// Around fields.
    Quote,
    /// Before a character taken as it is.
    Escape,
    /// Whether the first record names the columns.
    Header,
    /// Lines to pass over.
    SkipRows,
    /// The character encoding.
    Encoding,
    /// How lines end; read-only.
    LineEnd,
    /// What means NULL.
    Null,
    /// The decimal mark.
    Decimal,
    /// Blanks around fields.
    Trim,
    /// Comment lines.
    Comment,
    /// How dates are written.
    DateFormat,
    /// The sheet of a workbook.
    Sheet,
}

impl About {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 14] = [
        Self::Format,
        Self::Delimiter,
        Self::Quote,
        Self::Escape,
        Self::Header,
        Self::SkipRows,
        Self::Encoding,
        Self::LineEnd,
        Self::Null,
        Self::Decimal,
        Self::Trim,
        Self::Comment,
        Self::DateFormat,
        Self::Sheet,
    ];

    /// The name in `Evidence::about` and in test identities.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Delimiter => "delimiter",
            Self::Quote => "quote",
            Self::Escape => "escape",
            Self::Header => "header",
            Self::SkipRows => "skip_rows",
            Self::Encoding => "encoding",
            Self::LineEnd => "line_end",
            Self::Null => "null",
            Self::Decimal => "decimal",
            Self::Trim => "trim",
            Self::Comment => "comment",
            Self::DateFormat => "date_format",
            Self::Sheet => "sheet",
        }
    }

    /// Ready choices: the value that is set, and the sign shown beside its words.
    pub const fn choices(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Format => {
                &[("csv", "delimited text"), ("jsonl", "JSON lines"), ("json", "JSON array")]
            }
            Self::Delimiter => {
                &[(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar"), (" ", "blank")]
            }
            Self::Quote => &[("\"", "double quotes"), ("'", "single quotes"), ("", "no quotes")],
            Self::Escape => &[("", "none: a quote is doubled"), ("\\", "backslash")],
            Self::Header => {
                &[("true", "the first record names the columns"), ("false", "no header")]
            }
            Self::Encoding => {
                &[("UTF-8", ""), ("windows-1252", ""), ("UTF-16LE", ""), ("UTF-16BE", "")]
            }
            Self::Decimal => &[(".", "point"), (",", "comma")],
            Self::Trim => &[("true", "blanks around fields go"), ("false", "blanks stay")],
            Self::SkipRows
            | Self::LineEnd
            | Self::Null
            | Self::Comment
            | Self::DateFormat
            | Self::Sheet => &[],
        }
    }

    /// Whether any text can be typed instead of a ready choice.
    pub const fn is_free(self) -> bool {
        matches!(
            self,
            Self::Delimiter
                | Self::Encoding
                | Self::Null
                | Self::SkipRows
                | Self::Comment
                | Self::DateFormat
        )
    }

    /// Whether it can be overridden at all.
    pub const fn is_fixed(self) -> bool {
        matches!(self, Self::LineEnd)
    }

    /// Whether it is shown though nothing was said about it.
    const fn is_rare(self) -> bool {
        matches!(
            self,
            Self::Format
                | Self::Escape
                | Self::SkipRows
                | Self::Decimal
                | Self::Trim
                | Self::Comment
                | Self::DateFormat
                | Self::Sheet
        )
    }
}

/// What a chip shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Chip {
    /// What it is about.
    pub about: About,
    /// What was settled.
    pub settled: String,
    /// Why.
    pub why: String,
    /// Whether the person set it.
    pub set: bool,
    /// Whether it is a guess worth a look.
    pub unsure: bool,
    /// The value in force, as the choices spell it.
    pub value: String,
    /// Choices that the file itself has: its sheets, the readings of its dates.
    pub offers: Vec<String>,
}

/// The chips of a profile.
pub fn chips(profile: &Profile, options: &ImportOptions) -> Vec<Chip> {
    let delimited = profile.format == Format::Csv;
    About::ALL
        .into_iter()
        .filter_map(|about| {
            let evidence = profile.evidence.iter().find(|e| e.about == about.name());
            let set = get(options, about).is_some();
            let always = delimited && !about.is_rare();
            if evidence.is_none() && !always && !set {
                return None;
            }
            if !delimited
                && matches!(about, About::Delimiter | About::Quote | About::Escape | About::Header)
            {
                return None;
            }
            let value = get(options, about).unwrap_or_else(|| in_force(profile, about));
            Some(Chip {
                about,
                settled: evidence.map_or_else(|| words(about, &value), |e| e.settled.clone()),
                why: evidence.map(|e| e.why.clone()).unwrap_or_default(),
                set: set || evidence.is_some_and(|e| e.set),
                unsure: !set && evidence.is_some_and(|e| e.confidence < 0.6),
                value,
                offers: evidence.map(|e| e.offers.clone()).unwrap_or_default(),
            })
        })
        .collect()
}

fn in_force(profile: &Profile, about: About) -> String {
    let dialect = profile.dialect.clone().unwrap_or_default();
    match about {
        About::Format => wire::name_of(&profile.format),
        About::Delimiter => dialect.delimiter,
        About::Quote => dialect.quote.map(String::from).unwrap_or_default(),
        About::Escape => dialect.escape.map(String::from).unwrap_or_default(),
        About::Header => dialect.header.to_string(),
        About::SkipRows => dialect.skip_rows.to_string(),
        About::Encoding => profile.encoding.clone(),
        About::LineEnd => match dialect.line_end {
            LineEnd::Lf => "LF",
            LineEnd::Crlf => "CRLF",
            LineEnd::Cr => "CR",
            LineEnd::Mixed => "LF and CRLF",
            LineEnd::Any => "LF, CRLF and CR",
        }
        .to_owned(),
        About::Null => profile.null_markers.join(", "),
        About::Decimal => dialect.decimal.to_string(),
        About::Trim => dialect.trim.to_string(),
        About::Comment => dialect.comment.unwrap_or_default(),
        About::DateFormat => String::new(),
        About::Sheet => {
            let sheet = profile.evidence.iter().find(|e| e.about == "sheet");
            sheet.map(|e| e.settled.clone()).unwrap_or_default()
        }
    }
}

fn words(about: About, value: &str) -> String {
    if about == About::Null {
        return if value.is_empty() { "empty".to_owned() } else { value.to_owned() };
    }
    about
        .choices()
        .iter()
        .find(|(v, _)| *v == value)
        .map(|(v, w)| if w.is_empty() { (*v).to_owned() } else { (*w).to_owned() })
        .unwrap_or_else(|| value.to_owned())
}

/// What the person has set; none where it is detected.
pub fn get(options: &ImportOptions, about: About) -> Option<String> {
    match about {
        About::Format => options.format.map(|f| wire::name_of(&f)),
        About::Delimiter => options.delimiter.clone(),
        About::Quote => options.quote.clone(),
        About::Escape => options.escape.clone(),
        About::Header => options.header.map(|h| h.to_string()),
        About::SkipRows => options.skip_rows.map(|n| n.to_string()),
        About::Encoding => options.encoding.clone(),
        About::LineEnd => None,
        About::Null => options.null.as_ref().map(|m| m.join(", ")),
        About::Decimal => options.decimal.clone(),
        About::Trim => options.trim.map(|t| t.to_string()),
        About::Comment => options.comment.clone(),
        About::DateFormat => options.date_format.clone(),
        About::Sheet => options.sheet.clone(),
    }
}

/// Sets one thing; none puts detection back.
pub fn set(options: &mut ImportOptions, about: About, value: Option<&str>) {
    let text = value.map(str::to_owned);
    match about {
        About::Format => {
            options.format = value.and_then(wire::by_name);
        }
        About::Delimiter => {
            options.delimiter = text.map(|t| unescape(&t)).filter(|t| !t.is_empty());
        }
        About::Quote => options.quote = text,
        About::Escape => options.escape = text,
        About::Header => options.header = value.map(|v| v == "true"),
        About::SkipRows => options.skip_rows = value.and_then(|v| v.trim().parse().ok()),
        About::Encoding => options.encoding = text.filter(|t| !t.trim().is_empty()),
        About::LineEnd => {}
        About::Null => options.null = text.map(|t| markers(&t)),
        About::Decimal => options.decimal = text,
        About::Trim => options.trim = value.map(|v| v == "true"),
        About::Comment => options.comment = text.filter(|t| !t.is_empty()),
        About::DateFormat => options.date_format = text.filter(|t| !t.trim().is_empty()),
        About::Sheet => options.sheet = text,
    }
}

/// Markers from a line of text: parted by commas, `""` or nothing for the empty text.
fn markers(text: &str) -> Vec<String> {
    text.split(',')
        .map(|m| m.trim())
        .map(|m| if m == "\"\"" { String::new() } else { m.to_owned() })
        .collect()
}

/// `\t` as people type it.
fn unescape(text: &str) -> String {
    text.replace("\\t", "\t")
}

/// A sign that can be seen: a tab and a blank get a name.
pub fn visible(value: &str) -> String {
    match value {
        "\t" => "⇥".to_owned(),
        " " => "␣".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_reads_back_and_goes_again() {
        for (about, value) in [
            (About::Format, "jsonl"),
            (About::Delimiter, ";"),
            (About::Quote, ""),
            (About::Escape, "\\"),
            (About::Header, "false"),
            (About::SkipRows, "3"),
            (About::Encoding, "windows-1252"),
            (About::Null, "NULL, n/a"),
            (About::Decimal, ","),
            (About::Trim, "true"),
            (About::Comment, "#"),
            (About::DateFormat, "%d/%m/%Y"),
            (About::Sheet, "May"),
        ] {
            let mut options = ImportOptions::default();
            set(&mut options, about, Some(value));
            assert_eq!(get(&options, about).as_deref(), Some(value), "{about:?}");
            set(&mut options, about, None);
            assert_eq!(options, ImportOptions::default(), "{about:?}");
        }
    }

    #[test]
    fn a_typed_tab_is_a_tab_and_the_empty_marker_can_be_written() {
        let mut options = ImportOptions::default();
        set(&mut options, About::Delimiter, Some("\\t"));
        assert_eq!(options.delimiter.as_deref(), Some("\t"));
        set(&mut options, About::Null, Some("\"\", NULL"));
        assert_eq!(options.null, Some(vec![String::new(), "NULL".into()]));
        assert_eq!(visible("\t"), "⇥");
    }

    #[test]
    fn delimited_text_always_shows_its_main_chips() {
        let profile = empty_profile();
        let names: Vec<_> =
            chips(&profile, &ImportOptions::default()).iter().map(|c| c.about.name()).collect();
        assert_eq!(names, ["delimiter", "quote", "header", "encoding", "line_end", "null"]);
        let set = ImportOptions { skip_rows: Some(2), ..ImportOptions::default() };
        let chip = chips(&profile, &set).into_iter().find(|c| c.about == About::SkipRows).unwrap();
        assert!(chip.set && chip.settled == "2");
    }

    fn empty_profile() -> Profile {
        Profile {
            format: Format::Csv,
            compression: shared::profile::Compression::None,
            encoding: "UTF-8".into(),
            dialect: Some(shared::profile::Dialect::default()),
            evidence: Vec::new(),
            warnings: Vec::new(),
            null_markers: vec![String::new()],
            quoted_null: false,
            columns: Vec::new(),
            preview: Vec::new(),
            file_bytes: 0,
            read_bytes: 0,
            whole: false,
            rows: None,
            record_bytes: 0.0,
            empty_lines: 0,
            comment_lines: 0,
            primary_key: Vec::new(),
            parts: Vec::new(),
        }
    }
}
