//! Parquet, for notebooks: one row for each sample.
//!
//! ```python
//! pandas.read_parquet("duel.parquet").groupby("id").x.diff()
//! ```
//!
//! Columns are those of the csv, with unknown values null, words as text and yaw in radians.
//! Written here in a few hundred lines because the crate `parquet` costs 61 s of CPU time and
//! 59 crates even without Arrow, for a reader and a dozen encodings that nobody needs here.
//! Numbers are split into byte streams and packed by zstd, as in the session file.
//!
//! The format: <https://parquet.apache.org/docs/file-format/>. Files are checked against
//! `pyarrow`; see `tests/parquet.py`.

mod thrift;

use reckoning_recording::{Column, Recording, Sample, Track, column_names, row_order, zstd};

use thrift::Struct;

/// Rows in one group: readers load a group at a time.
const ROWS_PER_GROUP: usize = 131_072;
const MAGIC: &[u8] = b"PAR1";

/// Physical types, by the format's numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PhysicalType {
    Boolean = 0,
    Int32 = 1,
    Float = 4,
    Double = 5,
    Text = 6,
}

impl PhysicalType {
    /// Plain, or split into byte streams.
    const fn encoding(self) -> u64 {
        match self {
            Self::Float | Self::Double => 9,
            _ => 0,
        }
    }
}

/// One value of a column.
enum ParquetValue<'a> {
    Null,
    Boolean(bool),
    Int32(i32),
    Float(f32),
    Double(f64),
    Text(&'a str),
}

/// A row: its track and its place in it.
type SampleRow<'a> = (&'a Track, usize);

/// Where the cells of a column come from.
enum ColumnSource {
    /// A fixed column.
    Fixed(fn(&Track, &Sample) -> ParquetValue<'static>),
    /// An extra, by its name.
    Extra(String),
}

struct ParquetColumn {
    name: String,
    kind: PhysicalType,
    /// Whether cells may be null.
    optional: bool,
    source: ColumnSource,
}

impl ParquetColumn {
    fn cell<'a>(&self, (track, row): SampleRow<'a>) -> ParquetValue<'a> {
        match &self.source {
            ColumnSource::Fixed(cell) => {
                track.samples.get(row).map_or(ParquetValue::Null, |s| cell(track, s))
            }
            ColumnSource::Extra(name) => {
                track.column(name).map_or(ParquetValue::Null, |column| self.extra(column, row))
            }
        }
    }

    fn extra<'a>(&self, column: &'a Column, row: usize) -> ParquetValue<'a> {
        match column.values.get(row) {
            Some(value) if !value.is_nan() => match (self.kind, column.label(row)) {
                (PhysicalType::Text, word) => word.map_or(ParquetValue::Null, ParquetValue::Text),
                _ => ParquetValue::Float(*value),
            },
            _ => ParquetValue::Null,
        }
    }
}

/// Writes the samples of a recording as a Parquet file, in order of time.
#[must_use]
pub fn write_parquet(recording: &Recording) -> Vec<u8> {
    let fields = fields(recording);
    let order = row_order(recording);
    let rows: Vec<SampleRow<'_>> =
        order.into_iter().map(|(track, row)| (&recording.tracks[track], row)).collect();
    let mut out = MAGIC.to_vec();
    let mut groups = Vec::new();
    for group in rows.chunks(ROWS_PER_GROUP) {
        groups.push(write_group(&mut out, &fields, group));
    }
    let footer = footer(&fields, rows.len(), &groups);
    out.extend(&footer);
    out.extend((footer.len() as u32).to_le_bytes());
    out.extend(MAGIC);
    out
}

fn fields(recording: &Recording) -> Vec<ParquetColumn> {
    let fixed = |name: &str, kind, optional, cell| ParquetColumn {
        name: name.into(),
        kind,
        optional,
        source: ColumnSource::Fixed(cell),
    };
    let mut fields = vec![
        fixed("t", PhysicalType::Double, false, |_, s| ParquetValue::Double(s.at.as_secs_f64())),
        fixed("id", PhysicalType::Int32, false, |t, _| ParquetValue::Int32(t.id)),
        fixed("team", PhysicalType::Int32, false, |t, s| ParquetValue::Int32(t.team_at(s.at))),
        fixed("x", PhysicalType::Double, false, |_, s| ParquetValue::Double(s.position.x)),
        fixed("y", PhysicalType::Double, false, |_, s| ParquetValue::Double(s.position.y)),
        fixed("z", PhysicalType::Double, true, |_, s| {
            if s.height_known { ParquetValue::Double(s.position.z) } else { ParquetValue::Null }
        }),
        fixed("yaw_rad", PhysicalType::Float, true, |_, s| s.yaw_rad.into()),
        fixed("health", PhysicalType::Float, true, |_, s| s.health.into()),
        fixed("ammo", PhysicalType::Float, true, |_, s| s.ammo.into()),
        fixed("alive", PhysicalType::Boolean, false, |_, s| ParquetValue::Boolean(s.alive)),
        fixed("seg", PhysicalType::Int32, false, |_, s| {
            ParquetValue::Int32(s.segment.cast_signed())
        }),
    ];
    fields.extend(column_names(recording).into_iter().map(|name| {
        let mut columns = recording.tracks.iter().filter_map(|track| track.column(name));
        let words = columns.any(|column| !column.labels.is_empty());
        let kind = if words { PhysicalType::Text } else { PhysicalType::Float };
        ParquetColumn {
            name: name.into(),
            kind,
            optional: true,
            source: ColumnSource::Extra(name.into()),
        }
    }));
    fields
}

impl From<Option<f32>> for ParquetValue<'_> {
    fn from(value: Option<f32>) -> Self {
        value.map_or(Self::Null, Self::Float)
    }
}

/// A column chunk in the file.
struct ColumnChunk {
    offset: usize,
    packed: usize,
    raw: usize,
}

struct RowGroup {
    rows: usize,
    chunks: Vec<ColumnChunk>,
}

fn write_group(out: &mut Vec<u8>, fields: &[ParquetColumn], rows: &[SampleRow<'_>]) -> RowGroup {
    let chunks = fields.iter().map(|field| write_chunk(out, field, rows)).collect();
    RowGroup { rows: rows.len(), chunks }
}

/// One page holds the whole column of a group.
fn write_chunk(out: &mut Vec<u8>, field: &ParquetColumn, rows: &[SampleRow<'_>]) -> ColumnChunk {
    let page = page(field, rows);
    let packed = zstd::pack(&page);
    let header = Struct::new()
        .integer(1, 0)
        .integer(2, page.len() as u64)
        .integer(3, packed.len() as u64)
        .inner(
            5,
            Struct::new()
                .integer(1, rows.len() as u64)
                .integer(2, field.kind.encoding())
                .integer(3, 3)
                .integer(4, 3),
        )
        .finish();
    let offset = out.len();
    out.extend(&header);
    out.extend(&packed);
    ColumnChunk { offset, packed: out.len() - offset, raw: header.len() + page.len() }
}

/// Which cells are null, if they may be, then the others' values.
fn page(field: &ParquetColumn, rows: &[SampleRow<'_>]) -> Vec<u8> {
    let (mut present, mut values, mut bits) = (Vec::new(), Vec::new(), Vec::new());
    for &row in rows {
        let cell = field.cell(row);
        present.push(!matches!(cell, ParquetValue::Null));
        match cell {
            ParquetValue::Null => {}
            ParquetValue::Boolean(value) => bits.push(value),
            ParquetValue::Int32(value) => values.extend(value.to_le_bytes()),
            ParquetValue::Float(value) => values.extend(value.to_le_bytes()),
            ParquetValue::Double(value) => values.extend(value.to_le_bytes()),
            ParquetValue::Text(text) => {
                values.extend((text.len() as u32).to_le_bytes());
                values.extend(text.as_bytes());
            }
        }
    }
    let mut page = if field.optional { levels(&present) } else { Vec::new() };
    match field.kind {
        PhysicalType::Boolean => page.extend(pack_bits(&bits)),
        PhysicalType::Float => page.extend(split(&values, 4)),
        PhysicalType::Double => page.extend(split(&values, 8)),
        PhysicalType::Int32 | PhysicalType::Text => page.extend(values),
    }
    page
}

/// Definition levels as a single run of packed bits, with its length in front.
fn levels(present: &[bool]) -> Vec<u8> {
    let bits = pack_bits(present);
    let mut run = Vec::new();
    thrift::put_varint(&mut run, (bits.len() as u64) << 1 | 1);
    run.extend(bits);
    [&(run.len() as u32).to_le_bytes()[..], &run].concat()
}

fn pack_bits(bits: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| eight.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
    bits.chunks(8).map(byte).collect()
}

/// All first bytes, then all second bytes, and so on.
fn split(values: &[u8], width: usize) -> Vec<u8> {
    (0..width).flat_map(|plane| values.iter().skip(plane).step_by(width).copied()).collect()
}

fn footer(fields: &[ParquetColumn], rows: usize, groups: &[RowGroup]) -> Vec<u8> {
    let root = Struct::new().text(4, "samples").integer(5, fields.len() as u64);
    let schema = std::iter::once(root).chain(fields.iter().map(schema_element));
    let groups = groups.iter().map(|group| {
        let chunks = fields.iter().zip(&group.chunks);
        let size: usize = group.chunks.iter().map(|chunk| chunk.raw).sum();
        Struct::new()
            .list(1, chunks.map(|(field, chunk)| column_chunk(field, chunk, group.rows)))
            .integer64(2, size as u64)
            .integer64(3, group.rows as u64)
    });
    Struct::new()
        .integer(1, 1)
        .list(2, schema)
        .integer64(3, rows as u64)
        .list(4, groups)
        .text(6, "reckoning-lab")
        .finish()
}

fn schema_element(field: &ParquetColumn) -> Struct {
    let element = Struct::new()
        .integer(1, field.kind as u64)
        .integer(3, u64::from(field.optional))
        .text(4, &field.name);
    // Converted type 0: the bytes are UTF-8.
    if field.kind == PhysicalType::Text { element.integer(6, 0) } else { element }
}

fn column_chunk(field: &ParquetColumn, chunk: &ColumnChunk, rows: usize) -> Struct {
    const ZSTD: u64 = 6;
    const RLE: u64 = 3;
    let meta = Struct::new()
        .integer(1, field.kind as u64)
        .integers(2, &[field.kind.encoding(), RLE])
        .texts(3, &[&field.name])
        .integer(4, ZSTD)
        .integer64(5, rows as u64)
        .integer64(6, chunk.raw as u64)
        .integer64(7, chunk.packed as u64)
        .integer64(9, chunk.offset as u64);
    Struct::new().integer64(2, chunk.offset as u64).inner(3, meta)
}
