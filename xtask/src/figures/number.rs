//! Numbers of several runs, written as people read them: `13 to 16 ns`.

/// The least and the greatest of the numbers, or the one that both are once rounded.
///
/// `None` without a number.
pub fn span(values: &[f64], digits: usize) -> Option<String> {
    let least = values.iter().copied().reduce(f64::min)?;
    let most = values.iter().copied().reduce(f64::max)?;
    let (least, most) = (format!("{least:.digits$}"), format!("{most:.digits$}"));
    Some(if least == most { least } else { format!("{least} to {most}") })
}

/// How many processors this machine offers, in words that go behind `on`.
pub fn cores() -> String {
    match std::thread::available_parallelism().map_or(1, usize::from) {
        1 => "one core".to_owned(),
        2 => "two cores".to_owned(),
        more => format!("{more} cores"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_one_number_where_rounding_makes_it_one() {
        assert_eq!(span(&[15.8, 13.2, 14.0], 0).as_deref(), Some("13 to 16"));
        assert_eq!(span(&[1.04, 0.98], 2).as_deref(), Some("0.98 to 1.04"));
        assert_eq!(span(&[1.04, 0.98], 0).as_deref(), Some("1"));
        assert_eq!(span(&[], 0), None);
    }
}
