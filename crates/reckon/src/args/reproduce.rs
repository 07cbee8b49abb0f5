//! Options of `reckon lab reproduce`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use reckoning_lab::reproduce::Document;

use super::Format;

const ALL: &str = "all";

const EXAMPLES: &str = "\
Example:
  reckon lab reproduce thesis --report thesis.html";

/// Measure the claims of published documents
///
/// Measures the claims of a document in the setting that it describes.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub struct Reproduce {
    /// Which documents
    #[arg(required = true, value_name = "DOCUMENT", value_parser = names())]
    documents: Vec<String>,
    /// Form of the results on stdout
    #[arg(long, value_name = "FORM", default_value = "table", value_parser = formats())]
    pub format: Format,
    /// Also write a report, one file for any browser
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

impl Reproduce {
    /// The documents named, in this order.
    pub fn documents(&self) -> Vec<Document> {
        let stands_for = |name: &str, it: &Document| name == ALL || name == it.name();
        let named = self.documents.iter().map(|name| {
            Document::ALL.into_iter().filter(|it| stands_for(name, it)).collect::<Vec<_>>()
        });
        named.flatten().collect()
    }
}

fn names() -> PossibleValuesParser {
    Document::ALL.map(Document::name).into_iter().chain([ALL]).into()
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["table", "json"]).try_map(|name| Format::from_str(&name, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_stands_for_every_document() {
        let named = |name: &str| Reproduce {
            documents: vec![name.to_string()],
            format: Format::Table,
            report: None,
        };
        assert_eq!(named("all").documents(), Document::ALL);
        assert_eq!(named("li").documents(), [Document::Li]);
    }
}
