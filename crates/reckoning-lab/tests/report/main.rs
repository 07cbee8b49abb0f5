//! The report: its page, its JSON and its CSV say what the rows say.
//!
//! The page of made-up rows is left in the target folder, to be looked at in a browser.

mod made_up;
#[path = "../../../reckoning-recording/tests/support/mod.rs"]
mod support;
mod tags;

use reckoning_lab::compare::Comparison;
use reckoning_lab::report::{
    Contents, TrendPicture, claims_table, claims_text, comparison_csv, comparison_json,
    comparison_tables, reproduction_json, session_tables, to_html, to_text,
};
use reckoning_lab::trend::{trend_config, trend_map};
use reckoning_recording::load_file;
use serde_json::Value;

use made_up::{comparison, data, fairness, reproduction};

fn page() -> String {
    let (comparison, reproduction) = (comparison(), reproduction());
    let contents = Contents {
        title: "Made-up <rows> & more".to_string(),
        comparison: Some(&comparison),
        data: data(),
        reproduction: Some(&reproduction),
        fairness: fairness(),
        command: "reckon lab compare --data \"x & y\"".to_string(),
        recordings: "Recordings: none".to_string(),
        trends: Vec::new(),
    };
    to_html(&contents).unwrap()
}

fn keep(name: &str, html: &str) {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, html).unwrap();
    println!("look at {}", path.display());
}

#[test]
fn the_page_is_whole_and_fetches_nothing() {
    let html = page();
    keep("report.html", &html);
    tags::assert_balanced(&html);
    for word in
        ["http://", "https://", "<script", "url(", "@import", "src=", "<link", "NaN", "inf "]
    {
        assert!(!html.contains(word), "the page contains {word}");
    }
    assert!(html.contains("<h1>Made-up &lt;rows&gt; &amp; more</h1>"));
}

#[test]
fn the_page_holds_every_kind_of_picture() {
    let html = page();
    for part in [
        "Mean error by delay",
        "Share of hits by delay",
        "Updates per body and second",
        "Error over time",
        "the true path",
        "the path that linear shows",
        "the fairer",
        "Published and measured",
        "Every session",
    ] {
        assert!(html.contains(part), "no {part}");
    }
}

#[test]
fn the_summary_follows_the_rows() {
    let html = page();
    for part in [
        "6 predictors (hold, linear, accelerating, damped, ekb-hybrid and oaekb)",
        "On quakeworld, the smallest mean error is that of",
        "needs the fewest updates",
        "Measured: 3 claims of 2 documents",
        "1 reproduced, 1 not reproduced, 1 not comparable",
        "Fairest is deterministic",
    ] {
        assert!(html.contains(part), "no {part}");
    }
    let mut other = comparison();
    for row in other.open.iter_mut().filter(|row| row.predictor == "hold") {
        (row.aee, row.aee_low, row.aee_high) = (0.5, 0.4, 0.6);
    }
    let contents = Contents { comparison: Some(&other), ..Contents::default() };
    let html = to_html(&contents).unwrap();
    assert!(html.contains("the smallest mean error is that of hold at every delay"));
    assert!(html.contains("intervals do not overlap"));
}

#[test]
fn claims_come_before_charts_and_lead_to_their_numbers_and_back() {
    let html = page();
    let place = |part: &str| html.find(part).unwrap_or_else(|| panic!("no {part}"));
    assert!(place("<h2 id=\"claims\">") < place("<figure>"));
    for part in ["Curtiss Murphy", "Game Engine Gems 2", "2011", "1 of 2 claims reproduced"] {
        assert!(html.contains(part), "no {part}");
    }
    for link in html.split("href=\"#").skip(1) {
        let target = link.split('"').next().unwrap();
        assert!(html.contains(&format!("id=\"{target}\"")), "nothing is called {target}");
    }
    assert!(html.contains("href=\"#table-0\"") && html.contains("href=\"#murphy-24\""));
    assert!(html.contains(&format!("Made by reckon {}", env!("CARGO_PKG_VERSION"))));
    assert!(html.contains("<code>reckon lab compare --data &quot;x &amp; y&quot;</code>"));
}

/// Keys of JSON rows and columns of CSV, as `docs/lab.md` explains them.
#[test]
fn every_key_is_documented_and_means_one_thing() {
    let page = include_str!("../../../../docs/lab.md");
    let is_told = |key: &str| page.contains(&format!("`{key}`"));
    let rows: Value = serde_json::from_str(&comparison_json(&comparison())).unwrap();
    let rows = rows.as_array().unwrap();
    let receivers = rows.iter().filter_map(|row| row["receivers"].as_array()).flatten();
    let objects = rows.iter().chain(receivers).filter_map(Value::as_object);
    let mut keys: Vec<String> = objects.flat_map(|it| it.keys().cloned()).collect();
    keys.extend(comparison_csv(&comparison()).lines().next().unwrap().split(',').map(String::from));
    for key in keys {
        let plain = key.trim_end_matches("_mean").trim_end_matches("_deviation");
        assert!(is_told(&key) || is_told(plain), "{key} is not explained in docs/lab.md");
    }
}

#[test]
fn an_empty_report_is_still_a_page() {
    let html = to_html(&Contents::default()).unwrap();
    tags::assert_balanced(&html);
}

#[test]
fn values_that_are_not_numbers_do_not_break_the_page() {
    let mut odd = comparison();
    odd.open[0].aee = f64::NAN;
    odd.open[1].aee_high = f64::INFINITY;
    odd.closed[0].packets_per_entity_s = f64::NAN;
    odd.paths[0].shown[3] = [f64::NAN, 0.0];
    let contents = Contents { comparison: Some(&odd), ..Contents::default() };
    tags::assert_balanced(&to_html(&contents).unwrap());
}

#[test]
fn json_is_one_list_with_both_kinds_of_rows() {
    let rows: Value = serde_json::from_str(&comparison_json(&comparison())).unwrap();
    let rows = rows.as_array().unwrap();
    let has = |row: &Value, keys: &[&str]| keys.iter().all(|key| row.get(key).is_some());
    let open = ["source", "session", "predictor", "delay_ms", "aee", "hit_rate", "n"];
    let closed = ["packets_per_entity_s", "bound", "mean_error", "shown_error_100ms", "session"];
    let expected = comparison();
    assert_eq!(rows.iter().filter(|row| has(row, &open)).count(), expected.open.len());
    assert_eq!(rows.iter().filter(|row| has(row, &closed)).count(), expected.closed.len());
    assert_eq!(rows.len(), expected.open.len() + expected.closed.len());
}

#[test]
fn receivers_are_told_with_mean_and_deviation_in_every_form() {
    let comparison = comparison();
    let rows: Value = serde_json::from_str(&comparison_json(&comparison)).unwrap();
    let closed = rows.as_array().unwrap().iter().find(|row| row["kind"] == "closed").unwrap();
    let aee = |place: usize| closed["receivers"][place]["receiver_aee"].as_f64().unwrap();
    let mean = (aee(0) + aee(1) + aee(2)) / 3.0;
    // 200, 500 and 800 ms: the outer ones are equally far from the middle.
    let deviation = (2.0_f64 / 3.0).sqrt() * (aee(1) - aee(0));
    let near = |key: &str, wanted: f64| {
        let got = closed[key].as_f64().unwrap();
        assert!((got - wanted).abs() < 1e-9, "{key}: {got} instead of {wanted}");
    };
    near("receiver_aee_mean", mean);
    near("receiver_aee_deviation", deviation);
    for key in ["before_mean", "after_deviation", "cee_mean", "eee_deviation"] {
        assert!(closed[key].is_number(), "no {key}");
    }
    let csv = comparison_csv(&comparison);
    let lines = csv.lines().filter(|line| line.starts_with("receiver,")).count();
    assert_eq!(lines, 5 * comparison.closed.len());
    let tables = comparison_tables(&comparison);
    let table = tables.iter().find(|it| it.title.contains("each receiver")).unwrap();
    let names: Vec<&str> = table.rows[..5].iter().map(|row| row[1].as_str()).collect();
    assert_eq!(names, ["200 ms", "500 ms", "800 ms", "mean", "deviation"]);
}

#[test]
fn the_tables_say_how_near_a_hit_is_and_how_sure_an_error() {
    let mut comparison = comparison();
    let titles = |comparison: &Comparison| -> String {
        comparison_tables(comparison).iter().map(|it| it.title.clone() + "\n").collect()
    };
    assert!(titles(&comparison).contains("quakeworld: share of hits (at most 16.0 off) by delay"));
    let tables = comparison_tables(&comparison);
    let classes = tables.iter().find(|it| it.title.contains("four classes")).unwrap();
    assert_eq!(classes.rows[0][4..], ["50.0 %", "30.0 %", "15.0 %", "5.0 %"]);
    assert!(classes.rows[0][3].contains(" to "));
    comparison.open[0].hit_within = 17.0;
    assert!(titles(&comparison).contains("at most the bound of each session off"));
}

#[test]
fn claims_fit_a_terminal_and_verdicts_come_first() {
    let mut found = reproduction();
    let prose = "a word after a word and a_word_that_is_far_too_long_for_any_column ".repeat(9);
    let claim = &mut found.claims[1];
    for text in [&mut claim.claim, &mut claim.rule, &mut claim.measured, &mut claim.cause] {
        text.clone_from(&prose);
    }
    claim.published = prose;
    let text = claims_text(&found.claims);
    let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 120, "{widest} columns");
    assert!(text.starts_with("3 claims, by kind"), "{text}");
    let first = text.lines().find(|line| line.contains(" murphy ")).unwrap();
    assert!(first.starts_with("reproduced"), "{first}");
}

#[test]
fn json_of_claims_has_eight_texts_and_nothing_else() {
    let claims: Value = serde_json::from_str(&reproduction_json(&reproduction())).unwrap();
    let wanted = ["document", "kind", "claim", "rule", "published", "measured", "verdict", "cause"];
    for claim in claims.as_array().unwrap() {
        let claim = claim.as_object().unwrap();
        assert_eq!(claim.len(), wanted.len(), "{claim:?}");
        assert!(wanted.iter().all(|key| claim[*key].is_string()), "{claim:?}");
    }
    assert_eq!(claims[0]["verdict"], "reproduced");
}

#[test]
fn csv_quotes_what_would_break_it_and_every_row_is_as_wide_as_the_header() {
    let mut comparison = comparison();
    comparison.open[0].session = "a, \"b\"\nc".to_string();
    comparison.closed[0].mean_error = f64::NAN;
    let csv = comparison_csv(&comparison);
    assert!(csv.contains(",\"a, \"\"b\"\"\nc\","));
    assert!(!csv.contains("NaN"));
    let plain = csv.replace("\"a, \"\"b\"\"\nc\"", "x");
    let widths: Vec<usize> = plain.lines().map(|line| line.split(',').count()).collect();
    assert!(widths.iter().all(|&width| width == 32), "{widths:?}");
}

#[test]
fn pooling_weighs_sessions_by_their_predictions() {
    let mut comparison = comparison();
    comparison.open.retain(|row| row.source == "quakeworld" && row.predictor == "hold");
    comparison.open.retain(|row| row.delay_ms == 600);
    (comparison.open[0].aee, comparison.open[0].n) = (10.0, 1);
    (comparison.open[1].aee, comparison.open[1].n) = (20.0, 3);
    comparison.closed.clear();
    let table = &comparison_tables(&comparison)[0];
    assert_eq!(table.rows[0][1], "17.5");
    assert_eq!(session_tables(&comparison).len(), 2 * 3);
}

#[test]
fn tables_are_aligned() {
    let comparison = comparison();
    for table in comparison_tables(&comparison) {
        let text = to_text(&table);
        println!("{text}");
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let ends = lines[2..].iter().map(|line| line.chars().count());
        assert!(ends.clone().max() == ends.min(), "{text}");
    }
    println!("{}", to_text(&claims_table(&reproduction().claims)));
}

#[test]
fn a_real_trend_map_is_drawn_over_its_level() {
    let Some(folder) = support::data("a_real_trend_map_is_drawn_over_its_level") else { return };
    let recording = load_file(&folder.join("quakeworld/duel_aerowalk.csv.zst")).unwrap();
    let recordings = [recording];
    let map = trend_map(&recordings, &trend_config(&recordings)).unwrap();
    let level = Some(&recordings[0].level);
    let trends = vec![TrendPicture { title: "aerowalk".to_string(), map, level }];
    let html = to_html(&Contents { trends, ..Contents::default() }).unwrap();
    keep("trend.html", &html);
    tags::assert_balanced(&html);
    assert!(html.contains("class=\"floor\""));
}
