//! Claims on the page: where they are from, what was found, and the numbers behind each.

use std::fmt::Write;

use super::evidence::tables_behind;
use super::html::escape;
use super::pool::distinct;
use crate::reproduce::{Claim, ClaimVerdict, Document, ReportTable, Reproduction};

/// The documents, and every claim with a link to the tables behind it.
pub(super) fn put_claims(html: &mut String, reproduction: &Reproduction, has_chart: bool) {
    html.push_str("<h2 id=\"claims\">Claims</h2>\n<ul class=\"documents\">\n");
    for document in distinct(reproduction.claims.iter().map(|claim| claim.document)) {
        let _ = writeln!(html, "<li>{}</li>", document_line(document, &reproduction.claims));
    }
    html.push_str("</ul>\n<div class=\"wide\"><table class=\"claims\">\n");
    html.push_str("<caption>Published and measured, claim by claim</caption>\n<thead><tr>");
    for name in ["verdict, numbers", "claim", "rule", "published", "here", "cause"] {
        let _ = write!(html, "<th scope=\"col\">{name}</th>");
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for claim in &reproduction.claims {
        put_claim(html, claim, &reproduction.tables, has_chart);
    }
    html.push_str("</tbody></table></div>\n");
}

fn document_line(document: Document, claims: &[Claim]) -> String {
    let own = || claims.iter().filter(|claim| claim.document == document);
    let held = own().filter(|claim| claim.verdict == ClaimVerdict::Reproduced).count();
    format!(
        "<strong>{}</strong>: {} {held} of {} claims reproduced.",
        escape(document.name()),
        escape(document.reference()),
        own().count()
    )
}

fn put_claim(html: &mut String, claim: &Claim, tables: &[ReportTable], has_chart: bool) {
    let (class, verdict) = match claim.verdict {
        ClaimVerdict::Reproduced => ("yes", claim.verdict.name()),
        ClaimVerdict::NotReproduced => ("no", claim.verdict.name()),
        ClaimVerdict::NotComparable => ("open", claim.verdict.name()),
    };
    let _ = write!(html, "<tr id=\"{}\"><td class=\"{class}\">{verdict}", escape(&claim.id));
    put_links(html, claim, tables, has_chart);
    let place = format!("{} {} ({})", claim.document.name(), claim.place, claim.kind.name());
    let _ = write!(html, "<td><small>{}</small>{}</td>", escape(&place), escape(&claim.claim));
    let _ = write!(html, "<td>{}<small>{}</small></td>", escape(&claim.rule), escape(&claim.why));
    for text in [&claim.published, &claim.measured, &claim.cause] {
        let _ = write!(html, "<td>{}</td>", escape(text));
    }
    html.push_str("</tr>\n");
}

/// Links to the tables behind a claim, and to the chart of what they say of fairness.
fn put_links(html: &mut String, claim: &Claim, tables: &[ReportTable], has_chart: bool) {
    html.push_str("<small>");
    let mut is_charted = false;
    for (place, table) in tables_behind(claim, tables) {
        let title = escape(table.title.split(':').next().unwrap_or_default());
        let number = place + 1;
        let _ = write!(html, "<a href=\"#table-{place}\" title=\"{title}\">table {number}</a> ");
        is_charted |= has_chart && table.columns.iter().any(|name| name.starts_with("at "));
    }
    html.push_str(if is_charted { "<a href=\"#fairness\">chart</a>" } else { "" });
    html.push_str("</small></td>");
}

/// The tables behind the claims; a bar in each cell is the picture of its column.
pub(super) fn put_numbers(html: &mut String, reproduction: &Reproduction) {
    if reproduction.tables.is_empty() {
        return;
    }
    html.push_str("<h2 id=\"numbers\">The numbers behind them</h2>\n");
    for (place, table) in reproduction.tables.iter().enumerate() {
        put_table(html, place, table, reproduction);
    }
}

fn put_table(html: &mut String, place: usize, table: &ReportTable, all: &Reproduction) {
    let _ = write!(
        html,
        "<div class=\"wide numbers\" id=\"table-{place}\"><table>\n<caption>{}. {}</caption>\n<thead><tr>",
        place + 1,
        escape(&table.title)
    );
    for name in &table.columns {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escape(name));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    let most: Vec<f64> = (0..table.columns.len()).map(|column| most_in(table, column)).collect();
    for row in &table.rows {
        html.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let part =
                number_in(cell).filter(|_| column > 0).map_or(0.0, |it| it.abs() / most[column]);
            if part.is_finite() && part > 0.0 {
                let _ = write!(
                    html,
                    "<td class=\"bar\" style=\"--part:{:.0}%\">{}</td>",
                    100.0 * part,
                    escape(cell)
                );
            } else {
                let _ = write!(html, "<td>{}</td>", escape(cell));
            }
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table>\n");
    let behind = |claim: &&Claim| tables_behind(claim, &all.tables).any(|(it, _)| it == place);
    let claims: Vec<String> = all
        .claims
        .iter()
        .filter(behind)
        .map(|claim| format!("<a href=\"#{0}\">{0}</a>", escape(&claim.id)))
        .collect();
    if !claims.is_empty() {
        let _ = writeln!(html, "<p class=\"claims\">Behind {}.</p>", claims.join(", "));
    }
    html.push_str("</div>\n");
}

fn most_in(table: &ReportTable, column: usize) -> f64 {
    let cells = table.rows.iter().filter_map(|row| row.get(column));
    cells.filter_map(|cell| number_in(cell)).map(f64::abs).fold(0.0, f64::max)
}

/// The number that a cell begins with.
fn number_in(cell: &str) -> Option<f64> {
    let end = cell.find(|letter: char| !(letter.is_ascii_digit() || "+-.".contains(letter)));
    cell.get(..end.unwrap_or(cell.len()))?.parse().ok()
}
