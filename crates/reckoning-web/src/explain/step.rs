//! The steps of the explainer and their sliders.

/// What a step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The ball, its guess, and the circle that the guess may be off by.
    Guess,
    /// What is sent, against twenty positions a second.
    Silence,
    /// News are old when they arrive.
    Delay,
    /// Corrections are shown without a jump.
    Blend,
    /// News get lost.
    Loss,
    /// Updates are about when they will be used.
    Ahead,
    /// One budget for several watchers.
    Fair,
}

/// What a slider's number is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    /// Metres.
    Metres,
    /// Metres a second.
    MetresPerS,
    /// Milliseconds.
    Millis,
    /// Hundredths.
    Percent,
    /// So many in a row.
    InARow,
    /// One of these, by its place.
    OneOf(&'static [&'static str]),
}

/// One slider of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slider {
    /// What it counts in.
    pub unit: Unit,
    /// Its left end.
    pub least: f64,
    /// Its right end.
    pub most: f64,
    /// Where it stands at first.
    pub start: f64,
}

const fn slider(unit: Unit, least: f64, most: f64, start: f64) -> Slider {
    Slider { unit, least, most, start }
}

impl Step {
    /// All, as the page tells them.
    pub const ALL: [Self; 7] =
        [Self::Guess, Self::Silence, Self::Delay, Self::Blend, Self::Loss, Self::Ahead, Self::Fair];

    /// The id of its section on the page.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guess => "guess",
            Self::Silence => "silence",
            Self::Delay => "delay",
            Self::Blend => "blend",
            Self::Loss => "loss",
            Self::Ahead => "ahead",
            Self::Fair => "fair",
        }
    }

    /// Its two sliders, in the order of the page.
    #[must_use]
    pub const fn sliders(self) -> &'static [Slider; 2] {
        &SLIDERS[self as usize]
    }
}

/// By the order of the steps.
static SLIDERS: [[Slider; 2]; 7] = [
    [slider(Unit::Metres, 0.2, 3.0, 1.2), slider(Unit::MetresPerS, 1.0, 10.0, 4.0)],
    [slider(Unit::Metres, 0.1, 2.0, 0.5), slider(Unit::OneOf(&MODELS), 0.0, 3.0, 1.0)],
    [slider(Unit::Millis, 0.0, 500.0, 250.0), slider(Unit::Millis, 0.0, 150.0, 20.0)],
    [slider(Unit::Metres, 0.5, 3.0, 1.5), slider(Unit::OneOf(&BLENDS), 0.0, 3.0, 0.0)],
    [slider(Unit::Percent, 0.0, 50.0, 20.0), slider(Unit::InARow, 1.0, 10.0, 3.0)],
    [slider(Unit::Metres, 0.1, 2.0, 0.4), slider(Unit::Millis, 0.0, 600.0, 300.0)],
    [slider(Unit::Percent, 20.0, 100.0, 50.0), slider(Unit::OneOf(&TURNS), 0.0, 2.0, 2.0)],
];
const MODELS: [&str; 4] = ["stand still", "go straight on", "accelerate", "follow the bend"];
const BLENDS: [&str; 4] = ["jump", "straight line", "close", "calm"];
const TURNS: [&str; 3] = ["equal turns", "a mixture", "by error"];

impl Slider {
    /// The number that counts when somebody asks for `value`.
    #[must_use]
    pub fn within(&self, value: f64) -> f64 {
        if value.is_finite() { value.clamp(self.least, self.most) } else { self.start }
    }

    /// What stands beside it.
    #[must_use]
    pub fn text(&self, value: f64) -> String {
        match self.unit {
            Unit::Metres => format!("{value:.1} m"),
            Unit::MetresPerS => format!("{value:.1} m/s"),
            Unit::Millis => format!("{value:.0} ms"),
            Unit::Percent => format!("{value:.0} %"),
            Unit::InARow if value < 1.5 => "one at a time".to_string(),
            Unit::InARow => format!("{value:.0} in a row"),
            Unit::OneOf(names) => {
                names.get(value as usize).copied().unwrap_or_default().to_string()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../page/explain.html");

    /// The value of an attribute of the tag that holds `mark`.
    fn attribute(mark: &str, name: &str) -> Option<f64> {
        let at = PAGE.find(mark)?;
        let tag = &PAGE[PAGE[..at].rfind('<')?..at + PAGE[at..].find('>')?];
        tag.split_once(&format!(" {name}=\""))?.1.split('"').next()?.parse().ok()
    }

    #[test]
    fn the_page_has_the_sliders_of_the_steps() {
        for step in Step::ALL {
            assert!(PAGE.contains(&format!("<section id=\"{}\"", step.name())), "{step:?}");
            for (place, slider) in step.sliders().iter().enumerate() {
                let mark = format!("id=\"{}-{place}\"", step.name());
                let got = ["min", "max", "value"].map(|name| attribute(&mark, name));
                assert_eq!(got, [slider.least, slider.most, slider.start].map(Some), "{mark}");
                let named = format!("<label for=\"{}-{place}\"", step.name());
                assert!(PAGE.contains(&named), "{mark} has no label");
                if let Unit::OneOf(names) = slider.unit {
                    assert_eq!(names.len() as f64, slider.most + 1.0);
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_of_a_slider_becomes_one() {
        let slider = Step::Guess.sliders()[0];
        assert_eq!(slider.within(99.0), slider.most);
        assert_eq!(slider.within(f64::NAN), slider.start);
        assert_eq!(Step::Loss.sliders()[1].text(1.0), "one at a time");
        assert_eq!(Step::Blend.sliders()[1].text(2.0), "close");
    }
}
