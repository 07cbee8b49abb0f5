//! Fragments made of the committed tables in `testdata`.

use super::MissingFigure;

/// Sections of the tables and what readers know the recordings as.
const SOURCES: [(&str, &str); 5] = [
    ("quakeworld", "QuakeWorld"),
    ("slippi", "Super Smash Bros. Melee"),
    ("rocketleague", "Rocket League"),
    ("football 10 Hz", "football at 10 Hz"),
    ("football 50 Hz", "football at 50 Hz"),
];

fn missing(section: &str, what: &str) -> MissingFigure {
    MissingFigure(format!("{section}: {what}"))
}

/// The lines between the heading of a section and the next one.
fn section<'a>(text: &'a str, name: &str) -> Result<Vec<&'a str>, MissingFigure> {
    let is_heading = |line: &str, name: &str| {
        line.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', ',']))
    };
    let mut lines = text.lines().skip_while(|line| !is_heading(line, name));
    lines.next().ok_or_else(|| missing(name, "heading"))?;
    let is_next = |line: &&str| SOURCES.iter().any(|(other, _)| is_heading(line, other));
    Ok(lines.take_while(|line| !is_next(line)).collect())
}

/// The trained predictor beside constant velocity, from `testdata/learned.txt`.
pub fn learned(text: &str) -> Result<String, MissingFigure> {
    let mut rows = super::row(&["movement", "updates at one body width", "error after 300 ms"])
        + &super::row(&["---"; 3]);
    let mut worst = 0.0_f64;
    for (source, title) in SOURCES {
        let lines = section(text, source)?;
        let ratios = lines.iter().skip_while(|it| !it.contains("AEE 300 /CV"));
        let own = ratios.map(|it| it.split_whitespace().collect::<Vec<_>>());
        let own = own.into_iter().find(|it| it.first() == Some(&"learned") && it.len() == 5);
        let own = own.ok_or_else(|| missing(source, "learned /CV"))?;
        let ratio = |word: &str| word.parse::<f64>().map_err(|_| missing(source, word));
        ratio(own[1]).and(ratio(own[3]))?; // numbers, and shown with all their digits
        rows += &super::row(&[title, own[3], own[1]]);
        let session = lines.iter().find_map(|it| it.strip_prefix("learned, worst session: "));
        let session = session.ok_or_else(|| missing(source, "learned, worst session"))?;
        let (_, numbers) = session.rsplit_once(": ").ok_or_else(|| missing(source, session))?;
        for number in numbers.split(", ") {
            worst = worst.max(ratio(number)?);
        }
    }
    Ok(format!(
        "{rows}\nBoth as a share of constant velocity's, on sessions that the predictor was not \
         trained on. In the worst session, at the worst bound from half a body width to two, it \
         sends {worst:.3} of the updates. From `testdata/learned.txt`.\n"
    ))
}

/// Error on screen for the same bytes, from `testdata/seen.txt`.
pub fn seen(text: &str) -> Result<String, MissingFigure> {
    let heads = ["movement", "B/s", "before", "default", "codec at 20 Hz", "its B/s"];
    let mut rows = super::row(&heads) + &super::row(&["---"; 6]);
    for (source, title) in SOURCES {
        let method = |name: &str| {
            let mut lines = text.lines().skip_while(|line| *line != source);
            let line = lines.find(|line| line.split(' ').next() == Some(name));
            let cells: Vec<&str> = line.unwrap_or("").split_whitespace().take(6).collect();
            if cells.len() == 6 { Ok(cells) } else { Err(missing(source, name)) }
        };
        let (before, default, codec) = (method("before")?, method("default")?, method("codec-20")?);
        let errors = |cells: &[&str]| cells[2..].join(" / ");
        let paid = codec[1].trim_matches(['(', ')']);
        let cells = [title, before[1], &errors(&before), &errors(&default), &errors(&codec), paid];
        rows += &super::row(&cells);
    }
    Ok(format!(
        "{rows}\nMean error on screen in body widths at 50 / 100 / 200 / 350 ms one way, on sessions \
         that nothing was trained on; bytes of one body without the headers of datagrams. `default` is \
         read off its curve at the bytes of `before`; the codec is a rival of snapshots, and costs what \
         stands beside it. From `testdata/seen.txt`.\n"
    ))
}

/// Bytes per update, from `testdata/wire.txt`.
pub fn bytes(text: &str) -> Result<String, MissingFigure> {
    let mut rows =
        super::row(&["movement", "linear", "curve of 4, planned", "linear, plain `f32`"])
            + &super::row(&["---"; 4]);
    for (source, title) in SOURCES {
        let lines = section(text, source)?;
        let column = |kind: &str, column: &str| {
            let head = lines.iter().find(|it| it.trim_start().starts_with("updates"));
            let place = head.and_then(|it| it.split_whitespace().position(|word| word == column));
            let row = lines.iter().find_map(|it| it.trim_start().strip_prefix(kind));
            let word = row.zip(place).and_then(|(row, at)| row.split_whitespace().nth(at));
            word.ok_or_else(|| missing(source, kind))
        };
        let linear = column("linear, 1 width", "acked")?;
        let planned = column("curve of 4, planned, 1 width", "acked")?;
        let plain = column("linear, 1 width", "plain")?;
        rows += &super::row(&[title, linear, planned, plain]);
    }
    Ok(format!(
        "{rows}\nBytes per update at a threshold of one body width, coded off what was acknowledged, \
         with everything that concerns the update. From `testdata/wire.txt`, which has more models, \
         thresholds and the share of the datagrams' headers.\n"
    ))
}

/// Planners of the arena beside each other, from `testdata/fair-fight.txt`.
pub fn fair_fight(text: &str) -> Result<String, MissingFigure> {
    const COLUMNS: usize = 8;
    let mut rows =
        super::row(&["link", "planner", "error on screen", "updates of a bot", "of linear's"])
            + &super::row(&["---"; 5]);
    let lines = text.lines().filter(|it| !it.starts_with('#') && !it.starts_with("link"));
    let mut count = 0;
    for line in lines.filter(|it| !it.is_empty()) {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let cells: [&str; COLUMNS] = cells.try_into().map_err(|_| missing("fair fight", line))?;
        let [link, planner, error, _, updates, _, of_error, of_updates] = cells;
        let shares = format!("error {of_error}, updates {of_updates}");
        let (error, updates) = (format!("{error} px"), format!("{updates} per s"));
        rows += &super::row(&[link, planner, &error, &updates, &shares]);
        count += 1;
    }
    if count == 0 {
        return Err(missing("fair fight", "any row"));
    }
    Ok(format!(
        "{rows}\nFour games of a minute with twelve bots each, the same for every planner, in virtual \
         time. From `testdata/fair-fight.txt`, which says what the links are and how the planners \
         were chosen.\n"
    ))
}

/// The arena over its links, from `testdata/arena-links.txt`.
pub fn arena_links(text: &str) -> Result<String, MissingFigure> {
    const WAYS: [&str; 3] = ["naive", "calm", "arena"];
    let mut rows =
        super::row(&["one way", "newest position", "calm", "arena", "of newest", "bytes"])
            + &super::row(&["---"; 6]);
    let fields = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<Vec<String>> =
        text.lines().filter(|it| !it.starts_with('#')).map(fields).collect();
    let naive = lines.iter().filter(|it| it.get(1).is_some_and(|way| way == "naive"));
    for link in naive.filter_map(|it| it.first()) {
        let of = |way: &str| {
            let found = |it: &&Vec<String>| it.len() == 10 && it[0] == *link && it[1] == way;
            lines.iter().find(found).ok_or_else(|| missing(link, way))
        };
        let [naive, calm, arena] = WAYS.map(of);
        let (naive, calm, arena) = (naive?, calm?, arena?);
        let px = |line: &[String]| format!("{} px", line[2]);
        let bytes = format!("{} B/s, calm {} B/s", arena[9], calm[9]);
        let (delay, loss) = link.split_once('/').unwrap_or((link, ""));
        let name = format!("{} ms{}", delay.replace("+-", " ± "), loss_in_words(loss));
        rows += &super::row(&[&name, &px(naive), &px(calm), &px(arena), &arena[4], &bytes]);
    }
    Ok(format!(
        "{rows}\nThree games of 20 s with twelve bots, mean errors, in virtual time; the share of what was \
         received is their median. From `testdata/arena-links.txt`, which has each part alone and how \
         smooth each is.\n"
    ))
}

fn loss_in_words(loss: &str) -> String {
    match loss.split_once('x') {
        Some((share, run)) => format!(", {share} lost in runs of {run}"),
        None if loss.is_empty() => String::new(),
        None => format!(", {loss} lost"),
    }
}

/// Bodies of the hills at five links, from `testdata/hills.txt`.
pub fn hills(text: &str) -> Result<String, MissingFigure> {
    const METHODS: [&str; 3] = ["reckoning", "naive", "interpolation"];
    let mut rows = super::row(&["link", "of", "Reckoning", "newest", "100 ms back", "bytes"])
        + &super::row(&["---"; 6]);
    for link in ["LAN", "wifi", "mobile", "far", "awful"] {
        let mut lines = text.lines().skip_while(|it| it.split_whitespace().next() != Some(link));
        let head = lines.next().ok_or_else(|| missing("hills", link))?;
        let bytes: Vec<&str> = head.split_whitespace().collect();
        let bytes: Vec<&str> = bytes
            .windows(2)
            .filter_map(|it| it[1].starts_with("bytes/s").then_some(it[0]))
            .collect();
        let [ours, plain] = bytes[..] else { return Err(missing(link, head)) };
        let lines: Vec<&str> = lines.take_while(|it| !it.is_empty()).collect();
        for craft in ["tank", "car"] {
            let error = |method: &str| {
                let cells = lines.iter().map(|it| it.split_whitespace().collect::<Vec<_>>());
                let row = cells.into_iter().find(|it| it.starts_with(&[craft, method]));
                let cell = row.and_then(|it| it.get(2).map(|it| format!("{it} m")));
                cell.ok_or_else(|| missing(link, method))
            };
            let [a, b, c] = METHODS.map(error);
            let bytes = format!("{ours} against {plain} per s");
            rows += &super::row(&[link, craft, &a?, &b?, &c?, &bytes]);
        }
    }
    Ok(format!(
        "{rows}\nMean distance between where a body is and where it is drawn, and the bytes that a client \
         receives for everything in the scene, without headers of UDP and IP. Snapshots come twenty times a \
         second. From `testdata/hills.txt`, which says what the links are and where others win: turrets on a LAN and \
         on the worst link, orientations on a LAN, what is shown late or coarsely on purpose.\n"
    ))
}

/// Verdicts on published claims, from `testdata/claims-*.txt`.
pub fn quality(texts: &[&str]) -> Result<String, MissingFigure> {
    const VERDICTS: [&str; 3] = ["reproduced", "not reproduced", "not comparable"];
    let mut sources: Vec<(&str, [usize; 3])> = Vec::new();
    for line in texts.iter().flat_map(|it| it.lines()) {
        let mut fields = line.split(" | ").map(str::trim);
        let (Some(source), Some(verdict)) = (fields.next(), fields.next()) else { continue };
        let at = VERDICTS.iter().position(|it| *it == verdict);
        let at = at.ok_or_else(|| missing(source, verdict))?;
        if sources.last().is_none_or(|(last, _)| *last != source) {
            sources.push((source, [0; 3]));
        }
        if let Some((_, counts)) = sources.last_mut() {
            counts[at] += 1;
        }
    }
    if sources.is_empty() {
        return Err(missing("claims", "any"));
    }
    let [yes, no, open] = VERDICTS;
    let mut rows = super::row(&["claims of", yes, no, open]) + &super::row(&["---"; 4]);
    for (source, counts) in &sources {
        let [yes, no, open] = counts.map(|it| it.to_string());
        rows += &super::row(&[&source.to_uppercase(), &yes, &no, &open]);
    }
    Ok(format!(
        "{rows}\nEach claim is measured by `reckon lab reproduce all`; the names are those of \
         `docs/REFERENCES.md`. From `testdata/claims-murphy-thesis.txt`, \
         `testdata/claims-li.txt` and `testdata/claims-shi-steele.txt`.\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned_text() -> String {
        let one = |name: &str| {
            format!(
                "{name}: 7 sessions\n\nlearned 1 2 3\n\n   AEE 300 /CV   upd/s /CV\n\
                 learned     0.746 (0.7..0.8)   0.848 (0.8..0.9)\n\
                 learned-alone  0.1 (0.7..0.8)   0.1 (0.8..0.9)\n\
                 learned, worst session: upd/s /CV at .5, 1, 2: 0.885, 0.971, 0.895\n\n"
            )
        };
        SOURCES.iter().map(|(name, _)| one(name)).collect()
    }

    #[test]
    fn learned_takes_the_ratios_and_the_worst_session() {
        let table = learned(&learned_text()).unwrap();

        assert!(table.contains("| QuakeWorld | 0.848 | 0.746 |\n"), "{table}");
        assert!(table.contains("it sends 0.971 of the updates"), "{table}");
    }

    #[test]
    fn a_section_or_row_that_is_gone_is_named() {
        let text = learned_text();
        assert_eq!(learned(&text.replace("slippi", "x")).unwrap_err().0, "slippi: heading");
        let text = text.replace("learned   ", "taught   ");
        assert_eq!(learned(&text).unwrap_err().0, "quakeworld: learned /CV");
        assert!(quality(&["murphy | maybe | x"]).is_err());
        assert!(quality(&[""]).is_err());
    }

    #[test]
    fn bytes_are_taken_by_column() {
        let one = |name: &str| {
            format!(
                "{name}, 3-D (x)\n    updates    acked    p99    plain\n  \
                 linear, 1 width    15679     7.55   11.2   32\n  \
                 curve of 4, planned, 1 width    9922    18.53   22.1   80\n"
            )
        };
        let text: String = SOURCES.iter().map(|(name, _)| one(name)).collect();

        let table = bytes(&text).unwrap();
        assert!(table.contains("| Rocket League | 7.55 | 18.53 | 32 |\n"), "{table}");
    }

    #[test]
    fn verdicts_are_counted_by_source() {
        let text = "shi | reproduced | a\nshi | not reproduced | b\nsteele | reproduced | c\n";
        let table = quality(&["thesis | not comparable | x | y\n", text]).unwrap();

        assert!(table.contains("| THESIS | 0 | 0 | 1 |\n| SHI | 1 | 1 | 0 |\n"), "{table}");
    }
}
