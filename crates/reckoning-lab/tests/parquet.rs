//! Parquet files: their frame here, their content by `parquet.py`.

#[path = "../../reckoning-recording/tests/support/mod.rs"]
mod support;

use reckoning_lab::write_parquet;
use reckoning_recording::{Recording, load_file, write_csv};

#[test]
fn an_empty_recording_is_a_file_without_rows() {
    let file = write_parquet(&Recording::default());
    assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
    let length = u32::from_le_bytes(file[file.len() - 8..file.len() - 4].try_into().unwrap());
    assert_eq!(length as usize, file.len() - 12);
}

#[test]
fn real_sessions_are_written_for_the_referee() {
    let Some(data) = support::data("real_sessions_are_written_for_the_referee") else { return };
    let sessions = [
        "quakeworld/duel_povdmm4.csv.zst",
        "slippi/doubles.csv.zst",
        "rocketleague/d52e.csv.zst",
        "football/hawkeye_1_1.csv.zst",
        "football/skillcorner_2417_half1.csv.zst",
    ];
    for name in sessions {
        let recording = load_file(&data.join(name)).unwrap();
        let file = write_parquet(&recording);
        let per_sample = file.len() as f64 / recording.sample_count() as f64;
        assert!(per_sample < 80.0, "{name}: {per_sample} bytes a sample");
        if let Some(folder) = std::env::var_os("RECKONING_PARQUET") {
            let folder = std::path::PathBuf::from(folder);
            std::fs::create_dir_all(&folder).unwrap();
            let path = folder.join(&recording.session);
            std::fs::write(path.with_extension("parquet"), file).unwrap();
            std::fs::write(path.with_extension("csv"), write_csv(&recording)).unwrap();
            println!("{name}: {per_sample:.1} bytes a sample");
        }
    }
}
