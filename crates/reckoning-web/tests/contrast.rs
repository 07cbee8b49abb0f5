//! Letters of the page stand out from whatever is behind them, in both themes.

const STYLE: &str = include_str!("../page/style.css");
/// What WCAG asks of letters of any size.
const LEAST: f64 = 4.5;
/// How much of the colour is behind a choice that holds.
const TINT: f64 = 0.13;

type Rgb = [f64; 3];

/// The block of the style sheet that begins so.
fn block(begin: &str) -> &'static str {
    let from = STYLE.find(begin).unwrap_or_else(|| panic!("no {begin}"));
    &STYLE[from..from + STYLE[from..].find('}').unwrap()]
}

fn colour(theme: &str, name: &str) -> Rgb {
    let mark = format!("--{name}: #");
    let from = theme.find(&mark).unwrap_or_else(|| panic!("no --{name}")) + mark.len();
    let number = u32::from_str_radix(&theme[from..from + 6], 16).unwrap();
    [16, 8, 0].map(|shift| f64::from(number >> shift & 255) / 255.0)
}

fn mixed(a: Rgb, b: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|it| a[it] * share + b[it] * (1.0 - share))
}

/// As WCAG defines it.
fn luminance(colour: Rgb) -> f64 {
    let linear =
        |it: f64| if it <= 0.04045 { it / 12.92 } else { libm::pow((it + 0.055) / 1.055, 2.4) };
    let [red, green, blue] = colour.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn contrast(a: Rgb, b: Rgb) -> f64 {
    let [a, b] = [luminance(a), luminance(b)];
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn contrast_is_as_the_standard_says() {
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 1e-9);
    let grey = [119.0 / 255.0; 3];
    assert!((contrast(grey, [1.0; 3]) - 4.48).abs() < 0.01);
}

#[test]
fn letters_stand_out_in_both_themes() {
    for (name, begin) in [("dark", ":root {"), ("light", ":root[data-theme=\"light\"] {")] {
        let theme = block(begin);
        let of = |name: &str| colour(theme, name);
        let chosen = mixed(of("ghost"), of("card"), TINT);
        let grounds = [
            ("card", of("card")),
            ("card-2", of("card-2")),
            ("back", of("back")),
            ("chosen", chosen),
        ];
        for letters in ["text", "muted", "ghost", "truth", "naive", "interpolated"] {
            for (ground, behind) in grounds {
                let found = contrast(of(letters), behind);
                assert!(found >= LEAST, "{name}: {letters} on {ground} has {found:.2}");
            }
        }
    }
}
