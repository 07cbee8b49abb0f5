//! The report as one HTML file.

use std::fmt::Write;

use super::bars::{Bar, bars};
use super::charts::{ChartLine, error_by_delay, error_over_time, hits_by_delay};
use super::claims::{put_claims, put_numbers};
use super::html::{escape, figure, table};
use super::paths::{panel, window};
use super::plot::SeriesStyle;
use super::pool::{self, distinct};
use super::summary::sentences;
use super::tables::{comparison_tables, data_table, number, session_tables};
use super::words::words_html;
use super::{Contents, DataSet, FairnessRow, ReportError, TrendPicture};
use crate::compare::{ClosedRow, Comparison, OpenRow, PathSample};
use crate::stats::Spread;
use crate::trend::draw_trend;

const STYLE: &str = include_str!("style.css");

/// Writes the report: self-contained, without scripts, for light and dark screens.
///
/// # Errors
/// Names the chart that could not be drawn.
pub fn to_html(contents: &Contents) -> Result<String, ReportError> {
    let mut html = opening(&contents.title);
    put_summary(&mut html, contents);
    if let Some(reproduction) = contents.reproduction {
        put_claims(&mut html, reproduction, !contents.fairness.is_empty());
    }
    if let Some(comparison) = contents.comparison {
        put_comparison(&mut html, comparison, &contents.data)?;
    }
    put_fairness(&mut html, &contents.fairness)?;
    put_trends(&mut html, &contents.trends);
    if let Some(reproduction) = contents.reproduction {
        put_numbers(&mut html, reproduction);
    }
    if let Some(comparison) = contents.comparison {
        put_details(&mut html, comparison);
    }
    put_origin(&mut html, contents);
    html.push_str("</main>\n</body>\n</html>\n");
    Ok(html)
}

/// A page up to its heading.
pub(super) fn opening(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    )
}

/// Which program made this, called how, on what.
fn put_origin(html: &mut String, contents: &Contents) {
    let _ = write!(html, "<footer><p>Made by reckon {}", env!("CARGO_PKG_VERSION"));
    if !contents.command.is_empty() {
        let _ = write!(html, " with <code>{}</code>", escape(&contents.command));
    }
    html.push_str(".</p>\n");
    if !contents.recordings.is_empty() {
        let _ = writeln!(html, "<p>{}</p>", escape(&contents.recordings));
    }
    html.push_str("</footer>\n");
}

fn put_summary(html: &mut String, contents: &Contents) {
    html.push_str(&summary(&sentences(contents)));
    if !contents.data.is_empty() {
        html.push_str(&table(&data_table(&contents.data)));
    }
}

/// Sentences that stand out.
pub(super) fn summary(sentences: &[String]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let mut html = String::from("<div class=\"summary\"><ul>\n");
    for sentence in sentences {
        // No number stands alone at the end of a line.
        let bound = sentence.replace(" %", "\u{a0}%").replace(" ms", "\u{a0}ms");
        let _ = writeln!(html, "<li>{}</li>", escape(&bound));
    }
    html.push_str("</ul></div>\n");
    html
}

/// How each predictor looks, on the whole page.
struct SeriesStyles<'a>(Vec<&'a str>);

impl SeriesStyles<'_> {
    fn style_of(&self, predictor: &str) -> SeriesStyle {
        SeriesStyle::from_index(self.0.iter().position(|known| *known == predictor).unwrap_or(0))
    }

    fn legend(&self) -> String {
        let mut html = String::from("<ul class=\"legend\">\n");
        for (index, name) in self.0.iter().enumerate() {
            let swatch = SeriesStyle::from_index(index).swatch();
            let _ = writeln!(html, "<li>{swatch}<span>{}</span></li>", escape(name));
        }
        html + "</ul>\n"
    }
}

fn put_comparison(
    html: &mut String,
    comparison: &Comparison,
    data: &[DataSet],
) -> Result<(), ReportError> {
    let looks = SeriesStyles(pool::predictors(comparison));
    let (open, closed) = (pool::open(comparison), pool::closed(comparison));
    let tables = comparison_tables(comparison);
    for source in pool::sources(comparison) {
        let set = data.iter().find(|set| set.source == source);
        let units = set.map_or("mean error".to_string(), |set| units(&set.units));
        let _ = write!(html, "<h2>{}</h2>\n{}", escape(source), looks.legend());
        html.push_str("<div class=\"pair\">\n");
        put_delays(html, source, &units, &looks, &open)?;
        put_costs(html, source, &looks, &closed)?;
        html.push_str("</div>\n");
        let paths: Vec<&PathSample> =
            comparison.paths.iter().filter(|path| path.source == source).collect();
        put_paths(html, &units, &looks, &paths)?;
        let own = tables.iter().filter(|it| it.title.starts_with(&format!("{source}: ")));
        own.for_each(|it| html.push_str(&table(it)));
    }
    Ok(())
}

/// Sources may describe their unit in a sentence; an axis has room for its beginning.
fn units(text: &str) -> String {
    let short = text.split(['(', ';', ',']).next().unwrap_or_default().trim();
    let short: String = short.chars().take(24).collect();
    if short.is_empty() { "error".to_string() } else { format!("error, {short}") }
}

fn put_delays(
    html: &mut String,
    source: &str,
    units: &str,
    looks: &SeriesStyles,
    open: &[OpenRow],
) -> Result<(), ReportError> {
    // Who has nothing to go by would be drawn over another predictor's line.
    let own = |row: &&OpenRow| row.source == source && row.inert.is_none();
    let rows: Vec<&OpenRow> = open.iter().filter(own).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let predictors = distinct(rows.iter().map(|row| row.predictor.as_str()));
    let line = |name: &&str| {
        let mut own: Vec<&OpenRow> =
            rows.iter().copied().filter(|row| row.predictor == *name).collect();
        own.sort_by_key(|row| row.delay_ms);
        (looks.style_of(name), own)
    };
    let lines: Vec<ChartLine<OpenRow>> = predictors.iter().map(line).collect();
    let caption = "Mean error by delay (strokes: 95 % intervals)";
    html.push_str(&figure(caption, &error_by_delay(source, units, &lines)?));
    html.push_str(&figure("Share of hits by delay", &hits_by_delay(source, &lines)?));
    Ok(())
}

fn put_costs(
    html: &mut String,
    source: &str,
    looks: &SeriesStyles,
    closed: &[ClosedRow],
) -> Result<(), ReportError> {
    let own = |row: &&ClosedRow| row.source == source && row.inert.is_none();
    let rows: Vec<&ClosedRow> = closed.iter().filter(own).collect();
    let Some(first) = rows.first() else { return Ok(()) };
    // Bodies of two sizes have two bounds, and so each predictor two bars.
    let bounds = distinct(rows.iter().map(|row| row.bound));
    let label = |row: &ClosedRow| match bounds.as_slice() {
        [_] => row.predictor.clone(),
        _ => format!("{}, within {}", row.predictor, number(row.bound)),
    };
    let bar = |row: &&ClosedRow, value: f64, interval| Bar {
        label: label(row),
        value,
        interval,
        look: looks.style_of(&row.predictor),
    };
    let packets: Vec<Bar> = rows
        .iter()
        .map(|row| bar(row, row.packets_per_entity_s, Some((row.packets_low, row.packets_high))))
        .collect();
    let within: Vec<String> = bounds.iter().map(|&bound| number(bound)).collect();
    let caption = format!("Updates per body and second, kept within {}", within.join(" or "));
    html.push_str(&bar_figure(&caption, &packets)?);
    let shown: Vec<Bar> = rows.iter().map(|row| bar(row, row.shown_error_100ms, None)).collect();
    html.push_str(&bar_figure("Mean error of what is shown, 100 ms away", &shown)?);
    let across: Vec<Bar> = rows
        .iter()
        .filter_map(|row| {
            let Spread { mean, deviation } = row.across_receivers(|it| it.shown_error)?;
            Some(bar(row, mean, Some(((mean - deviation).max(0.0), mean + deviation))))
        })
        .collect();
    if !across.is_empty() {
        let names: Vec<&str> = first.receivers.iter().map(|it| it.receiver.as_str()).collect();
        let caption = format!(
            "Mean error of what receivers show (strokes: one deviation across those at {})",
            names.join(", ")
        );
        html.push_str(&bar_figure(&caption, &across)?);
    }
    Ok(())
}

pub(super) fn bar_figure(caption: &str, all: &[Bar]) -> Result<String, ReportError> {
    let reach = all.iter().map(Bar::end).fold(0.0, f64::max);
    Ok(figure(caption, &bars(caption, reach, all)?))
}

/// The stretches of the first session that has any.
fn put_paths(
    html: &mut String,
    units: &str,
    looks: &SeriesStyles,
    paths: &[&PathSample],
) -> Result<(), ReportError> {
    let Some(first) = paths.first() else { return Ok(()) };
    let own: Vec<&PathSample> = paths
        .iter()
        .copied()
        .filter(|it| it.session == first.session && it.id == first.id)
        .collect();
    let place = format!("body {} of session {}", first.id, first.session);
    let lines: Vec<(SeriesStyle, &PathSample)> =
        own.iter().map(|path| (looks.style_of(&path.predictor), *path)).collect();
    let svg = error_over_time(&first.session, units, &lines)?;
    html.push_str(&figure(&format!("Error over time: {place}"), &svg));
    let _ = write!(
        html,
        "<p>True path (broad, from the dot) and shown path (thin) of {}, all to one scale.</p>\n\
         <div class=\"panels\">\n",
        escape(&place)
    );
    let window = window(&own);
    html.push_str(&figure("truth", &panel("the true path", first, None, &window)?));
    for (look, path) in lines {
        let name = format!("the path that {} shows", path.predictor);
        html.push_str(&figure(&path.predictor, &panel(&name, path, Some(look), &window)?));
    }
    html.push_str("</div>\n");
    Ok(())
}

/// One chart for each policy, all to one scale.
fn put_fairness(html: &mut String, rows: &[FairnessRow]) -> Result<(), ReportError> {
    if rows.is_empty() {
        return Ok(());
    }
    html.push_str(
        "<h2 id=\"fairness\">Fairness</h2>\n<p>Mean error of each listener under each policy: the more even, the \
                   fairer; the shorter, the better.</p>\n<div class=\"pair\">\n",
    );
    let listeners = distinct(rows.iter().map(|row| row.listener.as_str()));
    let reach = rows.iter().map(|row| row.error).fold(0.0, f64::max);
    for policy in distinct(rows.iter().map(|row| row.policy.as_str())) {
        let bar = |row: &FairnessRow| {
            let index = listeners.iter().position(|known| *known == row.listener).unwrap_or(0);
            let look = SeriesStyle::from_index(index);
            Bar { label: row.listener.clone(), value: row.error, interval: None, look }
        };
        let own: Vec<Bar> = rows.iter().filter(|row| row.policy == policy).map(bar).collect();
        html.push_str(&figure(policy, &bars(policy, reach, &own)?));
    }
    html.push_str("</div>\n");
    Ok(())
}

fn put_trends(html: &mut String, trends: &[TrendPicture]) {
    if trends.is_empty() {
        return;
    }
    html.push_str("<h2>Trend maps</h2>\n");
    for trend in trends {
        let svg = draw_trend(&trend.map, trend.level);
        let svg = svg.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "");
        html.push_str(&figure(&trend.title, &svg));
    }
}

fn put_details(html: &mut String, comparison: &Comparison) {
    html.push_str("<h2>Details</h2>\n<details>\n<summary>Every session</summary>\n");
    for it in session_tables(comparison) {
        html.push_str(&table(&it));
    }
    html.push_str("</details>\n");
    html.push_str(&words_html(comparison));
}
