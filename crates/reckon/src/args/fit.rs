//! Options of `reckon lab fit`.

use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, ValueEnum, value_parser};
use reckoning_lab::fit::{FitConfig, Scheme};

use super::{Data, Format};

/// The delays of SHI.
const DELAYS_MS: &str = "300,600,900,1200,1500,1800,2100";

const EXAMPLES: &str = "\
Example:
  reckon lab fit ekb --data recordings/
Example: with what it prints
  reckon lab compare --data others/ --predictors 'linear,ekb,ekb(r=0.3,u=100)'";

/// Fit the constants of the interest scheme or of play patterns to recordings
///
/// Tries values of LI's k, q, l and R, or of SHI's l, R, r, q, u, k and W, on the sessions of one
/// game. Each session is predicted with constants that were chosen on the others; how long to fit
/// is decided on sessions held back among those. Fewer than three sessions are cut into quarters.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub struct Fit {
    /// Whose constants
    #[arg(value_name = "PREDICTOR", value_parser = schemes())]
    scheme: Scheme,
    #[command(flatten)]
    pub data: Data,
    /// Ages of the last news whose errors count, in ms
    #[arg(long, value_name = "MS,MS,...", default_value = DELAYS_MS, value_delimiter = ',')]
    #[arg(action = ArgAction::Set, value_parser = value_parser!(u64).range(1..=60_000))]
    delays: Vec<u64>,
    /// Form of the results on stdout
    #[arg(long, value_name = "FORM", default_value = "table", value_parser = formats())]
    pub format: Format,
}

impl Fit {
    /// What to fit, as the laboratory wants it.
    pub fn config(&self) -> FitConfig {
        let delays = self.delays.iter().copied().map(Duration::from_millis).collect();
        FitConfig { scheme: self.scheme, delays }
    }
}

fn schemes() -> impl TypedValueParser<Value = Scheme> {
    let named = |name: String| Scheme::ALL.into_iter().find(|it| it.name() == name);
    PossibleValuesParser::new(Scheme::ALL.map(Scheme::name))
        .try_map(move |name| named(name).ok_or("no such predictor"))
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["table", "json"]).try_map(|name| Format::from_str(&name, false))
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, Command, Lab};
    use super::*;
    use clap::Parser;

    #[test]
    fn scheme_and_delays_arrive() {
        let words = ["reckon", "lab", "fit", "oaekb", "--delays", "100,500"];
        let Command::Lab(Lab::Fit(found)) = Cli::try_parse_from(words).unwrap().command else {
            panic!("another command")
        };
        let delays = vec![Duration::from_millis(100), Duration::from_millis(500)];
        assert_eq!(found.config(), FitConfig { scheme: Scheme::Oaekb, delays });
        assert!(Cli::try_parse_from(["reckon", "lab", "fit", "linear"]).is_err());
    }
}
