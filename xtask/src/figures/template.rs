//! Fragments as they will read, with figures still to be filled in.

use super::MissingFigure;

/// The template with every `{figure}` replaced by what `figure` gives for its name.
pub fn fill(
    template: &str,
    figure: impl Fn(&str) -> Result<String, MissingFigure>,
) -> Result<String, MissingFigure> {
    let mut parts = template.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}').ok_or(MissingFigure(format!("{{{part}")))?;
        text += &figure(name)?;
        text += rest;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_replaced_and_the_rest_stays() {
        let figure = |name: &str| match name {
            "gone" => Err(MissingFigure(name.to_owned())),
            name => Ok(name.to_uppercase()),
        };

        assert_eq!(fill("| {a} | {b}\n", figure).unwrap(), "| A | B\n");
        assert_eq!(fill("{a} {gone}", figure).unwrap_err().0, "gone");
        assert!(fill("{a", figure).is_err());
    }
}
