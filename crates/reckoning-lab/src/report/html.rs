//! HTML elements that the page is written with.

use std::fmt::Write;

use super::text::is_numeric;
use super::words;
use crate::reproduce::ReportTable;

/// Text as HTML shows it.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            letter if letter.is_control() && letter != '\n' => {}
            letter => safe.push(letter),
        }
    }
    safe
}

/// A table that scrolls sideways when it is wider than the page.
pub(super) fn table(table: &ReportTable) -> String {
    let numeric: Vec<bool> = (0..table.columns.len()).map(|it| is_numeric(table, it)).collect();
    let class =
        |column: usize| if numeric.get(column) == Some(&true) { " class=\"num\"" } else { "" };
    let mut html = String::from("<div class=\"wide\"><table>\n");
    let _ = write!(html, "<caption>{}</caption>\n<thead><tr>", escape(&table.title));
    for (column, name) in table.columns.iter().enumerate() {
        let name = match words::place_of(name) {
            Some(place) => format!("<a href=\"#{place}\">{}</a>", escape(name)),
            None => escape(name),
        };
        let _ = write!(html, "<th scope=\"col\"{}>{name}</th>", class(column));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        html.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let _ = write!(html, "<td{}>{}</td>", cell_class(class(column), cell), escape(cell));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    html
}

/// Verdicts carry a mark besides their words.
fn cell_class(class: &str, cell: &str) -> String {
    match cell {
        "reproduced" => " class=\"yes\"".to_string(),
        "not reproduced" => " class=\"no\"".to_string(),
        "not comparable" => " class=\"open\"".to_string(),
        _ => class.to_string(),
    }
}

/// A picture with its caption.
pub(super) fn figure(caption: &str, svg: &str) -> String {
    format!("<figure><figcaption>{}</figcaption>\n{svg}</figure>\n", escape(caption))
}
