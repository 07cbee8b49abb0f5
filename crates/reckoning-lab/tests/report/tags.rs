//! A simple check that every tag of a page is closed, in order.

/// Tags that stand alone in HTML.
const VOID: [&str; 2] = ["meta", "!DOCTYPE"];

/// Fails at the first tag that does not fit.
pub fn assert_balanced(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        assert!(!tag.contains('<'), "a bare < before: {tag}");
        let name = tag.split([' ', '\n', '/']).find(|part| !part.is_empty()).unwrap();
        rest = &rest[end + 1..];
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "closed before: {}", &rest[..rest.len().min(80)]);
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0], "left open");
}
