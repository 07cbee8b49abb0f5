//! What SHI claims about its predictors, measured.

use super::habits::PlayHabits;
use super::packets::Packets;
use super::variants::{PRINTED, Variants};
use super::{DELAYS_MS, EKB, EKB_HYBRID, OAEKB, OAEKB_HYBRID, PREDICTORS};
use crate::reproduce::Finding;
use crate::reproduce::pooled::Pooled;
use crate::stats::mean;

pub(super) fn findings(
    found: &Pooled,
    sent: &Packets,
    variants: &Variants,
    bots: &PlayHabits,
) -> Vec<Finding> {
    vec![
        errors_first(found, variants, bots),
        errors_last(found).note(friends(variants, bots)),
        ekb_to_tdm(found).note(format!(
            "{}; {}",
            transition(variants, bots),
            friends(variants, bots)
        )),
        ekb_to_tdm_last(found).note(friends(variants, bots)),
        oaekb_to_ekb(found),
        hybrids(found),
        hits_lost(found).note(after_turns(bots)),
        hits_first(found, variants),
        hits_of_ekb(found),
        packets("packets", |name| sent.of(name)),
        packets("packets as curves", |name| found.packets(name)),
        hybrid_packets(sent),
        both_hybrids(sent),
        growth(found).note(standing(variants)),
        oaekb_beside_others(found),
        hits_of_oaekb(found),
        total_hits(found),
        is_to_tdm(found),
        hits_of_is(found),
        packets_of_is(sent),
    ]
}

/// The same measures of players who keep to their team, for claims that fail on bots.
pub(super) fn in_teams(found: &Pooled) -> Vec<Finding> {
    let findings = [
        errors_last(found),
        ekb_to_tdm(found),
        ekb_to_tdm_last(found),
        hybrids(found),
        growth(found),
        oaekb_beside_others(found),
        hits_lost(found),
        total_hits(found),
    ];
    let named = |it: Finding| Finding { measure: format!("{} in teams", it.measure), ..it };
    findings.into_iter().map(named).collect()
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

/// TDM beside all others.
fn tdm_and_others(measure: &str, text: String, ranked: &[(&str, f64)]) -> Finding {
    let (tdm, others): (Vec<_>, Vec<_>) = ranked.iter().partition(|(name, _)| *name == "TDM");
    let values = |of: Vec<&(&str, f64)>| of.iter().map(|it| it.1).collect::<Vec<_>>();
    Finding::new(measure, text).list("tdm", &values(tdm)).list("others", &values(others))
}

/// The error of one predictor over that of another, from a delay on.
fn ratios(found: &Pooled, one: &str, other: &str, from_ms: u64) -> Vec<f64> {
    let delays = DELAYS_MS.iter().filter(|&&delay| delay >= from_ms);
    delays.map(|&delay| found.aee(one, delay) / found.aee(other, delay)).collect()
}

fn numbers(values: &[f64]) -> String {
    values.iter().map(|value| format!("{value:.2}")).collect::<Vec<_>>().join(" ")
}

/// Why EKB is off by so much more than TDM after 300 ms.
fn transition(variants: &Variants, bots: &PlayHabits) -> String {
    format!(
        "EKB's excess is its transition: with l = 0.1 and the nearest player at {:.0} px half of \
         all turn to the patterns within {:.0} ticks; by (17) as printed, without l, it takes 60 \
         and EKB errs {:.1} px against TDM's {:.1} ({:.2} of it, SHI 1.06), with {:.1} against \
         {:.1} % hits (SHI 62.6 against 61.9)",
        bots.nearest,
        (0.1 * bots.nearest).ceil().min(60.0),
        variants.aee(PRINTED, 300),
        variants.aee("linear", 300),
        variants.aee(PRINTED, 300) / variants.aee("linear", 300),
        variants.hits(PRINTED, 300),
        variants.hits("linear", 300),
    )
}

/// Why EKB does not gain on TDM as it did in SHI.
fn friends(variants: &Variants, bots: &PlayHabits) -> String {
    format!(
        "at 2100 ms standing still errs {:.0} px, EKB {:.0}, with (17) as printed {:.0}, and \
         {:.0} with the most favourable single change of a term: the bots' way has a cosine of \
         only {:.2} to the middle of their friends, where EKB sends them at top speed, and {:.2} \
         to their old velocity; SHI's people sat beside their team and talked, and EKB's \
         constants were tried out on them",
        variants.aee("hold", 2100),
        variants.aee(EKB, 2100),
        variants.aee(PRINTED, 2100),
        variants.best(2100),
        bots.to_friends,
        bots.straight_on,
    )
}

fn errors_first(found: &Pooled, variants: &Variants, bots: &PlayHabits) -> Finding {
    let order = ranked(|name| found.aee(name, 300));
    tdm_and_others("errors at 300 ms", format!("{} px", listed(&order, 1)), &order)
        .note(transition(variants, bots))
}

fn errors_last(found: &Pooled) -> Finding {
    let order = ranked(|name| found.aee(name, 2100));
    tdm_and_others("errors at 2100 ms", format!("{} px", listed(&order, 1)), &order)
}

fn ekb_to_tdm(found: &Pooled) -> Finding {
    let ours = ratios(found, EKB, "linear", 600);
    Finding::new("ekb to tdm", format!("{} of TDM", numbers(&ours))).list("ratio", &ours)
}

fn ekb_to_tdm_last(found: &Pooled) -> Finding {
    let ours = found.aee(EKB, 2100) / found.aee("linear", 2100);
    Finding::new("ekb to tdm at 2100 ms", format!("{ours:.2} of TDM")).number("ratio", ours)
}

fn oaekb_to_ekb(found: &Pooled) -> Finding {
    let ours = ratios(found, OAEKB, EKB, 300);
    Finding::new("oaekb to ekb", format!("{} of EKB", numbers(&ours))).list("ratio", &ours)
}

fn hybrids(found: &Pooled) -> Finding {
    let of = |name: &str| ratios(found, name, "linear", 900);
    let text = format!("hybrid EKB {}, EKB {} of TDM", numbers(&of(EKB_HYBRID)), numbers(&of(EKB)));
    Finding::new("hybrids", text)
        .list("ekb", &of(EKB))
        .list("hybrid_ekb", &of(EKB_HYBRID))
        .list("oaekb", &of(OAEKB))
        .list("hybrid_oaekb", &of(OAEKB_HYBRID))
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

/// Which hits of TDM a hybrid gives away.
fn after_turns(bots: &PlayHabits) -> String {
    format!(
        "of TDM's hits at 900 ms {:.0} % are on bots who had turned by more than 40 degrees within \
         the 900 ms before: those the hybrid leaves to EKB",
        100.0 * bots.hits_after_turns
    )
}

fn hits_lost(found: &Pooled) -> Finding {
    let pairs = hit_pairs(found, EKB_HYBRID, "linear", 900);
    let walled = hit_pairs(found, OAEKB_HYBRID, "linear", 900);
    let lost: Vec<f64> = pairs.iter().chain(&walled).map(|(hybrid, tdm)| tdm - hybrid).collect();
    Finding::new("hits lost", format!("hybrid EKB/TDM {} %", in_pairs(&pairs))).list("lost", &lost)
}

fn hits_first(found: &Pooled, variants: &Variants) -> Finding {
    let hits = |name: &str| 100.0 * found.hits(name, 300);
    let (ekb, oaekb, tdm) = (hits(EKB_HYBRID), hits(OAEKB_HYBRID), hits("linear"));
    let text = format!("hybrid EKB {ekb:.1}, hybrid OAEKB {oaekb:.1}, TDM {tdm:.1} %");
    let note = format!(
        "with (17) as printed EKB, and so its hybrid, hits {:.1} % against TDM's {:.1}",
        variants.hits(PRINTED, 300),
        variants.hits("linear", 300)
    );
    Finding::new("hits at 300 ms", text)
        .number("hybrid_ekb", ekb)
        .number("hybrid_oaekb", oaekb)
        .number("tdm", tdm)
        .note(note)
}

fn hits_of_ekb(found: &Pooled) -> Finding {
    let pairs = hit_pairs(found, EKB, "linear", 600);
    let (ekb, tdm): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    Finding::new("hits of ekb", format!("EKB/TDM {} %", in_pairs(&pairs)))
        .list("ekb", &ekb)
        .list("tdm", &tdm)
}

fn packets(measure: &str, of: impl Fn(&str) -> f64) -> Finding {
    let order = ranked(of);
    let text = format!("{} per player and second", listed(&order, 2));
    tdm_and_others(measure, text, &order)
}

fn hybrid_packets(sent: &Packets) -> Finding {
    let share = |name: &str| sent.of(name) / sent.of("linear");
    let (hybrid, pattern) = (share(OAEKB_HYBRID), share(OAEKB));
    let text = format!(
        "hybrid OAEKB {:.0} %, OAEKB {:.0} % of TDM's packets",
        100.0 * hybrid,
        100.0 * pattern
    );
    Finding::new("packets of the hybrid", text).number("share", hybrid)
}

fn both_hybrids(sent: &Packets) -> Finding {
    let pairs = [
        ("hybrid_ekb", EKB_HYBRID),
        ("ekb", EKB),
        ("hybrid_oaekb", OAEKB_HYBRID),
        ("oaekb", OAEKB),
    ];
    let [hybrid, ekb, walled_hybrid, oaekb] = pairs.map(|(_, name)| sent.of(name));
    let text = format!(
        "hybrid EKB {hybrid:.2}, EKB {ekb:.2}, hybrid OAEKB {walled_hybrid:.2}, OAEKB {oaekb:.2} \
         per player and second"
    );
    let finding = Finding::new("packets of both hybrids", text);
    pairs.iter().fold(finding, |it, (key, name)| it.number(key, sent.of(name)))
}

/// How fast the error of someone who stands grows.
fn standing(variants: &Variants) -> String {
    format!(
        "once at the friends' middle, EKB stands, and its error grows as that of standing still \
         there would: by {:.1} px even for standing still where the bot was",
        variants.aee("hold", 2100) - variants.aee("hold", 1800)
    )
}

fn growth(found: &Pooled) -> Finding {
    let step = |name: &str| found.aee(name, 2100) - found.aee(name, 1800);
    let (ekb, tdm) = (step(EKB), step("linear"));
    let text = format!("{tdm:.1} px to TDM and {ekb:.1} px to EKB, {:.2} of it", ekb / tdm);
    Finding::new("growth", text).number("share", ekb / tdm)
}

fn oaekb_beside_others(found: &Pooled) -> Finding {
    let delays = &DELAYS_MS[1..];
    let oaekb: Vec<f64> = delays.iter().map(|&delay| found.aee(OAEKB, delay)).collect();
    let least_of = |delay: u64| {
        let others = PREDICTORS.iter().filter(|(name, _)| *name != OAEKB);
        let errors = others.map(|&(name, theirs)| (found.aee(name, delay), theirs));
        errors.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NAN, ""))
    };
    let least: Vec<(f64, &str)> = delays.iter().map(|&delay| least_of(delay)).collect();
    let each = oaekb.iter().zip(&least);
    let each = each.map(|(ours, (least, name))| format!("{ours:.1} ({name} {least:.1})"));
    let text = format!("{} px", each.collect::<Vec<_>>().join(", "));
    Finding::new("oaekb beside others", text)
        .list("oaekb", &oaekb)
        .list("least", &least.iter().map(|it| it.0).collect::<Vec<_>>())
}

fn hits_of_oaekb(found: &Pooled) -> Finding {
    let pairs = hit_pairs(found, OAEKB, EKB, 300);
    let (oaekb, ekb): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    Finding::new("hits of oaekb", format!("OAEKB/EKB {} %", in_pairs(&pairs)))
        .list("oaekb", &oaekb)
        .list("ekb", &ekb)
}

/// Figure 12: the mean of the hits at all delays.
fn total_hits(found: &Pooled) -> Finding {
    let total = |name: &str| mean(&DELAYS_MS.map(|delay| 100.0 * found.hits(name, delay)));
    let mut order = ranked(total);
    order.reverse();
    Finding::new("total hits", format!("{} %", listed(&order, 1)))
        .list("hybrids", &[total(EKB_HYBRID), total(OAEKB_HYBRID)])
        .number("tdm", total("linear"))
        .list("others", &[total(OAEKB), total(EKB), total("interest")])
}

fn is_to_tdm(found: &Pooled) -> Finding {
    let ours = ratios(found, "interest", "linear", 300);
    let (early, late) = ours.split_at(2);
    Finding::new("is to tdm", format!("{} of TDM", numbers(&ours)))
        .list("early", early)
        .list("late", late)
}

fn hits_of_is(found: &Pooled) -> Finding {
    let pairs = hit_pairs(found, "interest", "linear", 300);
    let (interest, tdm): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    Finding::new("hits of is", format!("IS/TDM {} %", in_pairs(&pairs)))
        .list("first", &interest[..1])
        .list("tdm_first", &tdm[..1])
        .list("later", &interest[1..])
        .list("tdm_later", &tdm[1..])
}

fn packets_of_is(sent: &Packets) -> Finding {
    let share = sent.of("interest") / sent.of("linear");
    Finding::new("packets of is", format!("{share:.2} of TDM's")).number("share", share)
}
