//! What SHI says about its predictors.

use super::{DELAYS_MS, PREDICTORS, PUBLISHED_AEE_PX};
use crate::reproduce::pooled::Pooled;
use crate::reproduce::{Claim, Document, Verdict};

/// Said of every claim about bots.
const SETTING: &str = "bots on the proving grounds, whose speed was chosen so that TDM errs as in \
                       SHI; bodies are 40 px wide, so the patterns' lengths are 40/45 of SHI's; \
                       hits and packets at SHI's 45 px";
/// Two ratios of errors that differ by no more are called the same.
const SAME_RATIO: f64 = 0.1;
/// Two shares of hits that differ by no more are called the same, in percent of all.
const SAME_HITS: f64 = 1.0;

pub(super) fn claims(found: &Pooled) -> Vec<Claim> {
    vec![
        tdm_first(found),
        tdm_last(found),
        ekb_below(found),
        ekb_ratio(found),
        walls(found),
        hybrids_between(found),
        hybrids_keep_hits(found),
        hybrids_more_hits(found),
        ekb_fewer_hits(found),
        packets(found),
        growth(found),
    ]
}

fn claim(text: &str, published: &str, measured: String, holds: bool, how: &str) -> Claim {
    Claim {
        document: Document::Shi,
        claim: text.to_owned(),
        published: published.to_owned(),
        measured,
        verdict: Verdict::of(holds),
        why: format!("{how}; {SETTING}"),
    }
}

/// Every predictor's value with the name SHI gives it, smallest first.
fn ranked(of: impl Fn(&str) -> f64) -> Vec<(&'static str, f64)> {
    let mut ranked: Vec<_> = PREDICTORS.iter().map(|&(name, theirs)| (theirs, of(name))).collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
    ranked
}

fn listed(ranked: &[(&str, f64)], digits: usize) -> String {
    let each = ranked.iter().map(|(name, value)| format!("{name} {value:.digits$}"));
    each.collect::<Vec<_>>().join(", ")
}

/// The error of one predictor over that of another, from a delay on.
fn ratios(found: &Pooled, one: &str, other: &str, from_ms: u64) -> Vec<f64> {
    let delays = DELAYS_MS.iter().filter(|&&delay| delay >= from_ms);
    delays.map(|&delay| found.aee(one, delay) / found.aee(other, delay)).collect()
}

fn numbers(values: &[f64]) -> String {
    values.iter().map(|value| format!("{value:.2}")).collect::<Vec<_>>().join(" ")
}

fn tdm_first(found: &Pooled) -> Claim {
    let order = ranked(|name| found.aee(name, 300));
    claim(
        "TDM has the least mean error at 300 ms",
        "TDM 35.6, OAEKB 36.9, EKB 37.8, IS 38.2, hybrid OAEKB 42.3, hybrid EKB 44.1 px",
        format!("{} px", listed(&order, 1)),
        order[0].0 == "TDM",
        "the least of six",
    )
}

fn tdm_last(found: &Pooled) -> Claim {
    let order = ranked(|name| found.aee(name, 2100));
    claim(
        "TDM has the greatest mean error at 2100 ms",
        "OAEKB 364.5, EKB 374.9, hybrid OAEKB 448.5, hybrid EKB 449.4, IS 477.7, TDM 579.5 px",
        format!("{} px", listed(&order, 1)),
        order[5].0 == "TDM",
        "the greatest of six",
    )
}

fn ekb_below(found: &Pooled) -> Claim {
    let ours = ratios(found, "ekb", "linear", 600);
    claim(
        "EKB errs less than TDM from 600 ms on",
        "0.98 0.90 0.82 0.76 0.70 0.65 of TDM at 600 to 2100 ms",
        format!("{} of TDM", numbers(&ours)),
        ours.iter().all(|&ratio| ratio < 1.0),
        "below 1 at all six delays",
    )
}

fn ekb_ratio(found: &Pooled) -> Claim {
    let ours = found.aee("ekb", 2100) / found.aee("linear", 2100);
    let theirs = PUBLISHED_AEE_PX[2][6] / PUBLISHED_AEE_PX[0][6];
    claim(
        "At 2100 ms EKB errs a third less than TDM",
        "0.65 of TDM",
        format!("{ours:.2} of TDM"),
        (ours - theirs).abs() <= SAME_RATIO,
        "the same ratio give or take 0.1",
    )
}

fn walls(found: &Pooled) -> Claim {
    let ours = ratios(found, "oaekb", "ekb", 300);
    claim(
        "Going around obstacles helps at every delay: OAEKB errs less than EKB",
        "0.98 0.98 0.98 0.98 0.97 0.97 0.97 of EKB at 300 to 2100 ms",
        format!("{} of EKB", numbers(&ours)),
        ours.iter().all(|&ratio| ratio < 1.0),
        "below 1 at all seven delays; SHI's map had its own walls, ours has some cover",
    )
}

fn hybrids_between(found: &Pooled) -> Claim {
    let between = |plain: &str, hybrid: &str| {
        DELAYS_MS.iter().filter(|&&delay| delay >= 900).all(|&delay| {
            let error = found.aee(hybrid, delay);
            found.aee(plain, delay) < error && error < found.aee("linear", delay)
        })
    };
    let share = |hybrid: &str| numbers(&ratios(found, hybrid, "linear", 900));
    claim(
        "The hybrids' errors lie between those of their patterns and of TDM from 900 ms on",
        "hybrid EKB 0.97 0.91 0.86 0.82 0.78, EKB 0.90 0.82 0.76 0.70 0.65 of TDM",
        format!("hybrid EKB {}, EKB {} of TDM", share("ekb-hybrid"), share("ekb")),
        between("ekb", "ekb-hybrid") && between("oaekb", "oaekb-hybrid"),
        "both hybrids, all five delays",
    )
}

/// Hits of two predictors in percent, from a delay on.
fn hit_pairs(found: &Pooled, one: &str, other: &str, from_ms: u64) -> Vec<(f64, f64)> {
    let delays = DELAYS_MS.iter().filter(|&&delay| delay >= from_ms);
    let hits = |name: &str, delay| 100.0 * found.hits(name, delay);
    delays.map(|&delay| (hits(one, delay), hits(other, delay))).collect()
}

fn in_pairs(pairs: &[(f64, f64)]) -> String {
    let each = pairs.iter().map(|(one, other)| format!("{one:.1}/{other:.1}"));
    each.collect::<Vec<_>>().join(" ")
}

fn hybrids_keep_hits(found: &Pooled) -> Claim {
    let pairs = hit_pairs(found, "ekb-hybrid", "linear", 900);
    let walled = hit_pairs(found, "oaekb-hybrid", "linear", 900);
    claim(
        "The hybrids keep the hits of TDM at long delays",
        "hybrid EKB/TDM 13.1/13.4 7.5/7.6 4.6/4.6 3.0/2.9 2.1/1.9 % at 900 to 2100 ms",
        format!("hybrid EKB/TDM {} %", in_pairs(&pairs)),
        pairs.iter().chain(&walled).all(|(hybrid, tdm)| *hybrid >= tdm - SAME_HITS),
        "both hybrids lose at most one in a hundred at all five delays",
    )
}

fn hybrids_more_hits(found: &Pooled) -> Claim {
    let hits = |name: &str| 100.0 * found.hits(name, 300);
    let (ekb, oaekb, tdm) = (hits("ekb-hybrid"), hits("oaekb-hybrid"), hits("linear"));
    claim(
        "The hybrids hit more often than TDM at 300 ms",
        "hybrid EKB 67.2, hybrid OAEKB 67.7, TDM 61.9 %",
        format!("hybrid EKB {ekb:.1}, hybrid OAEKB {oaekb:.1}, TDM {tdm:.1} %"),
        ekb > tdm && oaekb > tdm,
        "both above TDM; up to 350 ms a hybrid is its pattern",
    )
}

fn ekb_fewer_hits(found: &Pooled) -> Claim {
    let pairs = hit_pairs(found, "ekb", "linear", 600);
    claim(
        "EKB alone hits less often than TDM from 600 ms on",
        "EKB/TDM 15.9/26.3 4.8/13.4 2.5/7.6 1.7/4.6 1.4/2.9 1.2/1.9 %",
        format!("EKB/TDM {} %", in_pairs(&pairs)),
        pairs.iter().all(|(ekb, tdm)| ekb < tdm),
        "fewer at all six delays",
    )
}

fn packets(found: &Pooled) -> Claim {
    let order = ranked(|name| found.packets(name));
    claim(
        "No predictor needs fewer packets than TDM",
        "figure only; named as the open problem",
        format!("{} updates per player and second", listed(&order, 2)),
        order[0].0 == "TDM",
        "the least of six, with the engine's publisher",
    )
}

fn growth(found: &Pooled) -> Claim {
    let step = |name: &str| found.aee(name, 2100) - found.aee(name, 1800);
    let (ekb, tdm) = (step("ekb"), step("linear"));
    claim(
        "The error of TDM goes on growing with the delay, that of EKB levels off",
        "the last 300 ms add 95.3 px to TDM and 37.6 px to EKB, 0.39 of it",
        format!("{tdm:.1} px to TDM and {ekb:.1} px to EKB, {:.2} of it", ekb / tdm),
        ekb / tdm < 0.5,
        "less than half as much growth from 1800 to 2100 ms",
    )
}
