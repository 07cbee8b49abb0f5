//! Rules that decide a claim from named numbers, as they stand in the claim files.
//!
//! ```text
//! ratio < 0.5                 printed within 3 of 7.24
//! bezier > printed            error_m rises
//! prevented <= 0.1 plain      mean within 0.25 published of published
//! ```
//!
//! A name stands for the numbers that an experiment measured under it, or for the claim's
//! `tolerance`. Lists are compared place by place and one number with each of a list; a rule
//! holds if all of these do. What is not a number, and an empty list, fulfil no rule.

use std::collections::BTreeMap;
use std::fmt;

/// The numbers of a measure by their names.
pub(super) type Numbers = BTreeMap<String, Vec<f64>>;

/// One condition of a claim.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// As it was written.
    text: String,
    left: Term,
    asked: Asked,
}

#[derive(Clone, Debug)]
enum Asked {
    Compared(fn(&f64, &f64) -> bool, Term),
    /// At most the first away from the second.
    Within(Term, Term),
    Rises,
    Falls,
}

/// A number, a name, or a number times a name.
#[derive(Clone, Debug)]
struct Term {
    factor: f64,
    name: Option<String>,
}

/// Why a rule cannot be read or applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RuleError {
    /// It has another form than those above.
    Unreadable { rule: String },
    /// Nothing was measured under this name.
    NotMeasured { name: String },
    /// Two lists of different lengths cannot be compared.
    Lengths { rule: String },
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { rule } => write!(f, "the rule '{rule}' cannot be read"),
            Self::NotMeasured { name } => write!(f, "'{name}' was not measured"),
            Self::Lengths { rule } => write!(f, "lists of different lengths in '{rule}'"),
        }
    }
}

impl std::error::Error for RuleError {}

impl Rule {
    pub(super) fn parse(text: &str) -> Result<Self, RuleError> {
        let unreadable = || RuleError::Unreadable { rule: text.to_owned() };
        let words: Vec<&str> = text.split_whitespace().collect();
        let asks = |word: &&str| ["<", "<=", ">", ">=", "within", "rises", "falls"].contains(word);
        let at = words.iter().position(asks).ok_or_else(unreadable)?;
        let right = &words[at + 1..];
        let asked = match words[at] {
            "<" => Asked::Compared(f64::lt, Term::parse(right).ok_or_else(unreadable)?),
            "<=" => Asked::Compared(f64::le, Term::parse(right).ok_or_else(unreadable)?),
            ">" => Asked::Compared(f64::gt, Term::parse(right).ok_or_else(unreadable)?),
            ">=" => Asked::Compared(f64::ge, Term::parse(right).ok_or_else(unreadable)?),
            "within" => within(right).ok_or_else(unreadable)?,
            "rises" if right.is_empty() => Asked::Rises,
            "falls" if right.is_empty() => Asked::Falls,
            _ => return Err(unreadable()),
        };
        let left = Term::parse(&words[..at]).ok_or_else(unreadable)?;
        Ok(Self { text: text.to_owned(), left, asked })
    }

    /// Whether it is so.
    pub(super) fn holds(&self, numbers: &Numbers) -> Result<bool, RuleError> {
        let left = self.left.values(numbers)?;
        match &self.asked {
            Asked::Compared(is, right) => {
                let pairs = self.pairs(&left, &right.values(numbers)?)?;
                Ok(all(&pairs, |(left, right)| is(left, right)))
            }
            Asked::Within(by, of) => {
                let away = self.pairs(&left, &of.values(numbers)?)?;
                let away: Vec<f64> = away.iter().map(|(left, of)| (left - of).abs()).collect();
                let pairs = self.pairs(&away, &by.values(numbers)?)?;
                Ok(all(&pairs, |(away, by)| away <= by))
            }
            Asked::Rises => Ok(left.len() > 1 && left.windows(2).all(|pair| pair[0] < pair[1])),
            Asked::Falls => Ok(left.len() > 1 && left.windows(2).all(|pair| pair[0] > pair[1])),
        }
    }

    /// Every number of one side with its partner of the other.
    fn pairs(&self, left: &[f64], right: &[f64]) -> Result<Vec<(f64, f64)>, RuleError> {
        match (left, right) {
            (_, [one]) => Ok(left.iter().map(|&left| (left, *one)).collect()),
            ([one], _) => Ok(right.iter().map(|&right| (*one, right)).collect()),
            _ if left.len() == right.len() => {
                Ok(left.iter().copied().zip(right.iter().copied()).collect())
            }
            _ => Err(RuleError::Lengths { rule: self.text.clone() }),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn all(pairs: &[(f64, f64)], holds: impl Fn(&(f64, f64)) -> bool) -> bool {
    !pairs.is_empty() && pairs.iter().all(holds)
}

/// `3 of 7.24`.
fn within(words: &[&str]) -> Option<Asked> {
    let at = words.iter().position(|word| *word == "of")?;
    Some(Asked::Within(Term::parse(&words[..at])?, Term::parse(&words[at + 1..])?))
}

impl Term {
    fn parse(words: &[&str]) -> Option<Self> {
        let name = |word: &str| word.starts_with(char::is_alphabetic).then(|| word.to_owned());
        match words {
            [one] => match one.parse() {
                Ok(factor) => Some(Self { factor, name: None }),
                Err(_) => Some(Self { factor: 1.0, name: Some(name(one)?) }),
            },
            [factor, of] => Some(Self { factor: factor.parse().ok()?, name: Some(name(of)?) }),
            _ => None,
        }
    }

    fn values(&self, numbers: &Numbers) -> Result<Vec<f64>, RuleError> {
        let Some(name) = &self.name else { return Ok(vec![self.factor]) };
        let values =
            numbers.get(name).ok_or_else(|| RuleError::NotMeasured { name: name.clone() })?;
        Ok(values.iter().map(|value| self.factor * value).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(rule: &str) -> Result<bool, RuleError> {
        let numbers = [
            ("one", vec![1.0]),
            ("up", vec![1.0, 2.0, 3.0]),
            ("level", vec![1.0, 2.0, 2.0]),
            ("two", vec![2.0, 2.0]),
            ("none", vec![]),
            ("broken", vec![f64::NAN]),
        ];
        let numbers = numbers.map(|(name, values)| (name.to_owned(), values)).into();
        Rule::parse(rule)?.holds(&numbers)
    }

    #[test]
    fn a_rule_asks_every_number_of_a_list() {
        let true_ones = [
            "one < 1.5",
            "up <= 3",
            "up > 0.5 one",
            "2 up >= up",
            "up rises",
            "-2 up falls",
            "one within 0.2 of 1.1",
            "up within level of 2",
            "level >= one",
        ];
        for rule in true_ones {
            assert_eq!(holds(rule), Ok(true), "{rule}");
        }
        let false_ones = [
            "one < 1",
            "up < 3",
            "up > one",
            "level rises",
            "up falls",
            "up within 0.9 of 2",
            "none < 1",
            "none > 1",
            "broken < 1",
            "broken >= 1",
            "broken within 9 of 1",
            "one rises",
        ];
        for rule in false_ones {
            assert_eq!(holds(rule), Ok(false), "{rule}");
        }
    }

    #[test]
    fn what_is_no_rule_is_refused_by_name() {
        for rule in
            ["", "one", "one <", "< 1", "one < 1 2", "one rises 2", "one within 3", "x y < 1"]
        {
            assert_eq!(holds(rule), Err(RuleError::Unreadable { rule: rule.to_owned() }));
        }
        assert_eq!(holds("three < 1"), Err(RuleError::NotMeasured { name: "three".to_owned() }));
        assert_eq!(holds("up < two"), Err(RuleError::Lengths { rule: "up < two".to_owned() }));
    }
}
