//! Licence expressions as manifests write them: SPDX, and the older `MIT/Apache-2.0`.
//!
//! ```text
//! any    = all ("OR" all | "/" all)*
//! all    = one ("AND" one)*
//! one    = "(" any ")" | NAME | NAME "WITH" NAME
//! ```

/// Whether somebody who has only the licences that `allows` names may use it; an error says
/// where the expression ends to be one. `NAME WITH EXCEPTION` is asked for as a whole.
pub fn is_satisfied(text: &str, allows: &dyn Fn(&str) -> bool) -> Result<bool, String> {
    let spaced = text.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = Words { rest: spaced.split_whitespace().collect(), allows };
    let answer = words.any()?;
    match words.rest.first() {
        None => Ok(answer),
        Some(word) => Err(format!("`{word}` is too much in `{text}`")),
    }
}

struct Words<'a> {
    rest: Vec<&'a str>,
    allows: &'a dyn Fn(&str) -> bool,
}

impl<'a> Words<'a> {
    fn any(&mut self) -> Result<bool, String> {
        let mut answer = self.all()?;
        while self.takes("OR") {
            answer |= self.all()?;
        }
        Ok(answer)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut answer = self.one()?;
        while self.takes("AND") {
            answer &= self.one()?;
        }
        Ok(answer)
    }

    fn one(&mut self) -> Result<bool, String> {
        if self.takes("(") {
            let answer = self.any()?;
            return if self.takes(")") { Ok(answer) } else { Err("`)` is missing".to_owned()) };
        }
        let name = self.name()?;
        if !self.takes("WITH") {
            return Ok((self.allows)(name));
        }
        let exception = self.name()?;
        Ok((self.allows)(&format!("{name} WITH {exception}")))
    }

    fn name(&mut self) -> Result<&'a str, String> {
        match self.rest.first() {
            Some(&word) if !["OR", "AND", "WITH", "(", ")"].contains(&word) => {
                self.rest.remove(0);
                Ok(word)
            }
            Some(word) => Err(format!("`{word}` stands where a licence should")),
            None => Err("it ends where a licence should stand".to_owned()),
        }
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.rest.first() == Some(&word);
        if is_next {
            self.rest.remove(0);
        }
        is_next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mit_and_isc(text: &str) -> Result<bool, String> {
        is_satisfied(text, &|name| ["MIT", "ISC", "GPL-2.0 WITH Linking"].contains(&name))
    }

    #[test]
    fn one_choice_is_enough_and_all_parts_are_needed() {
        for text in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/Apache-2.0",
            "Apache-2.0 / MIT",
            "MIT AND ISC",
            "(GPL-3.0 OR MIT) AND ISC",
            "GPL-3.0 AND BSD OR MIT",
            "GPL-2.0 WITH Linking",
            "((MIT))",
        ] {
            assert_eq!(mit_and_isc(text), Ok(true), "{text}");
        }
        for text in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "MIT AND (GPL-3.0 OR BSD)",
            "(MIT OR ISC) AND GPL-3.0",
            "GPL-3.0 OR BSD AND MIT",
            "MIT WITH Linking",
            "GPL-2.0",
            "mit",
        ] {
            assert_eq!(mit_and_isc(text), Ok(false), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in ["", "MIT OR", "OR MIT", "(MIT", "MIT)", "MIT ISC", "MIT AND OR ISC", "()"] {
            assert!(mit_and_isc(text).is_err(), "{text}");
        }
    }
}
