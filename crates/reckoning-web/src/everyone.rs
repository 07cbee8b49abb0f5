//! Settings that hold for everyone: what this player asked for, what the server says, and what
//! follows for the controls.
//!
//! ```text
//! a control is moved   ask -> due: the server's settings with that one changed -> sent
//! the server's word    hear -> ours if it is the first or what we asked for; else told, not taken
//! no word of a wish    settle: after a while the controls go back to what the server says
//! ```
//!
//! Controls that apply to everyone never move because somebody else moved theirs. And since only
//! what was moved is asked for, moving one of them does not undo what others chose.

use reckoning_arena::hills::protocol::HillsTuning;
use reckoning_arena::protocol::{PolicyChoice, ServerTuning};

use crate::controls::{Controls, shown_name};
use crate::hills::choices::HillsChoices;

/// A wish is granted or refused within this, over the slowest link.
pub const WISH_MS: f64 = 4_000.0;

/// A control and the value that was asked for.
type Asked = (String, String);

/// What was sent and not answered yet.
#[derive(Clone, Debug)]
struct Sent<T> {
    value: T,
    /// What the server said when it was sent.
    before: T,
    asked: Vec<Asked>,
    at_ms: f64,
}

/// Settings of a server that every player may change.
#[derive(Clone, Debug)]
pub struct Everyone<T> {
    told: Option<T>,
    /// The controls show what a server said once.
    is_known: bool,
    asked: Vec<Asked>,
    sent: Option<Sent<T>>,
}

impl<T> Default for Everyone<T> {
    fn default() -> Self {
        Self { told: None, is_known: false, asked: Vec::new(), sent: None }
    }
}

impl<T: Copy + PartialEq + Adjusted> Everyone<T> {
    /// A control was moved here.
    pub fn ask(&mut self, name: &str, value: &str) {
        note(&mut self.asked, (name.to_string(), value.to_string()));
    }

    /// What to send now, if anything: nothing before the server has said how it is.
    pub fn due(&mut self, now_ms: f64) -> Option<T> {
        let told = self.told.filter(|_| !self.asked.is_empty())?;
        let asked = std::mem::take(&mut self.asked);
        let (before, mut all) = match self.sent.take() {
            Some(sent) => (sent.before, sent.asked),
            None => (told, Vec::new()),
        };
        note_all(&mut all, asked);
        let value = adjusted(told, &all);
        self.sent = Some(Sent { value, before, asked: all, at_ms: now_ms });
        Some(value)
    }

    /// The newest word of the server; none while there is no connection. Returns what the controls
    /// are to show from now on, where that changes.
    pub fn hear(&mut self, told: Option<T>) -> Option<T> {
        let is_first = !self.is_known;
        self.is_known |= told.is_some();
        self.told = told;
        if told.is_none() {
            // What was not granted is asked for again on the next connection.
            let sent = self.sent.take().map(|it| it.asked).unwrap_or_default();
            let later = std::mem::replace(&mut self.asked, sent);
            note_all(&mut self.asked, later);
        }
        if self.sent.as_ref().is_some_and(|it| Some(it.value) == told) {
            self.sent = None;
        }
        told.filter(|_| is_first).map(|told| adjusted(told, &self.asked))
    }

    /// A wish that the server does not grant is given up. Returns what the controls are to show,
    /// where that changes.
    pub fn settle(&mut self, now_ms: f64) -> Option<T> {
        let sent = self.sent.take_if(|it| now_ms - it.at_ms > WISH_MS)?;
        self.told.filter(|told| *told == sent.before)
    }

    /// What the server says, where that is not what the controls show and nobody here asked for it.
    pub fn otherwise(&self, shown: &T) -> Option<T> {
        let is_settled = self.sent.is_none() && self.asked.is_empty();
        self.told.filter(|told| is_settled && told != shown)
    }
}

/// The newest wish of each control.
fn note(asked: &mut Vec<Asked>, wish: Asked) {
    asked.retain(|it| it.0 != wish.0);
    asked.push(wish);
}

fn note_all(asked: &mut Vec<Asked>, later: Vec<Asked>) {
    for wish in later {
        note(asked, wish);
    }
}

fn adjusted<T: Adjusted>(told: T, asked: &[Asked]) -> T {
    asked.iter().fold(told, |value, (name, wish)| value.adjusted(name, wish))
}

/// Settings that can be changed one by one, as controls do.
pub trait Adjusted: Sized {
    /// With one of them changed, if it takes the value.
    #[must_use]
    fn adjusted(self, name: &str, value: &str) -> Self;

    /// What is different in the other ones, in words for people.
    fn changes(&self, other: &Self) -> Vec<String>;
}

impl Adjusted for ServerTuning {
    fn adjusted(self, name: &str, value: &str) -> Self {
        let mut controls = Controls { tuning: self, ..Controls::default() };
        let _ = controls.set(name, value);
        controls.tuning
    }

    fn changes(&self, other: &Self) -> Vec<String> {
        let late = |is_late| if shown_name(is_late) == "delayed" { "delayed" } else { "now" };
        let changes = [
            (self.model != other.model).then(|| format!("the planner to {}", other.model.name())),
            (self.threshold_px != other.threshold_px)
                .then(|| format!("the threshold to {} px", other.threshold_px)),
            (self.policy != other.policy)
                .then(|| format!("fairness to \"{}\"", policy_name(other.policy))),
            (self.budget_percent != other.budget_percent)
                .then(|| format!("the budget to {} %", other.budget_percent)),
            (self.weights != other.weights).then(|| "what fairness goes by".to_string()),
            (self.near_delayed != other.near_delayed)
                .then(|| format!("near ones to \"{}\"", late(other.near_delayed))),
            (self.far_delayed != other.far_delayed)
                .then(|| format!("far ones to \"{}\"", late(other.far_delayed))),
        ];
        changes.into_iter().flatten().collect()
    }
}

/// As the page calls it.
const fn policy_name(policy: PolicyChoice) -> &'static str {
    match policy {
        PolicyChoice::Base => "everyone at once",
        PolicyChoice::EveryThird => "one in three",
        PolicyChoice::Scheduled => "scheduled by error",
        PolicyChoice::ScheduledDropped => "scheduled, late ones dropped",
        PolicyChoice::Probabilistic => "probabilistic",
        PolicyChoice::Deterministic => "deterministic",
    }
}

impl Adjusted for HillsTuning {
    fn adjusted(self, name: &str, value: &str) -> Self {
        let mut choices = HillsChoices { tuning: self, ..HillsChoices::default() };
        let _ = choices.set(name, value);
        choices.tuning
    }

    fn changes(&self, other: &Self) -> Vec<String> {
        let words = HillsChoices { tuning: *other, ..HillsChoices::default() };
        let said = |name: &str| words.value(name).unwrap_or_default();
        let on = |is_on| if is_on { "on" } else { "off" };
        let changes = [
            (self.threshold_m != other.threshold_m)
                .then(|| format!("the threshold to {} m", other.threshold_m)),
            (self.prevents != other.prevents).then(|| format!("prevention {}", on(other.prevents))),
            (self.joints != other.joints).then(|| format!("turrets to \"{}\"", said("joints"))),
            (self.train_on_path != other.train_on_path)
                .then(|| format!("the train to \"{}\"", said("train"))),
            (self.merchant_delayed != other.merchant_delayed)
                .then(|| format!("the merchant to \"{}\"", said("merchant"))),
        ];
        changes.into_iter().flatten().collect()
    }
}

/// What somebody else changed, in words for people.
#[must_use]
pub fn told_change<T: Adjusted>(shown: &T, told: &T) -> String {
    let changes = shown.changes(told);
    let (last, first) = changes.split_last().map_or(("", &[][..]), |it| (it.0.as_str(), it.1));
    let and = if first.is_empty() { String::new() } else { format!("{} and ", first.join(", ")) };
    format!("Someone set {and}{last} for everyone.")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: fn() -> ServerTuning = ServerTuning::default;

    fn threshold(px: f32) -> ServerTuning {
        ServerTuning { threshold_px: px, ..SERVER() }
    }

    #[test]
    fn the_first_word_is_taken_over_and_later_ones_of_others_are_only_told() {
        let mut everyone = Everyone::default();
        assert_eq!(everyone.hear(Some(threshold(9.0))), Some(threshold(9.0)));
        let mine = threshold(9.0);
        assert_eq!(everyone.otherwise(&mine), None);
        assert_eq!(everyone.hear(Some(threshold(12.0))), None, "the control does not move");
        assert_eq!(everyone.settle(1e9), None);
        let told = everyone.otherwise(&mine).unwrap();
        assert_eq!(told_change(&mine, &told), "Someone set the threshold to 12 px for everyone.");
        assert_eq!(everyone.otherwise(&told), None, "taken over");
    }

    #[test]
    fn moving_one_control_does_not_undo_what_others_chose() {
        let mut everyone = Everyone::default();
        let mine = everyone.hear(Some(SERVER())).unwrap();
        everyone.hear(Some(threshold(12.0)));
        everyone.ask("budget", "50");
        let sent = everyone.due(0.0).unwrap();
        assert_eq!(sent, ServerTuning { budget_percent: 50, ..threshold(12.0) });
        let mine = ServerTuning { budget_percent: 50, ..mine };
        assert_eq!(everyone.otherwise(&mine), None, "nothing is told while a wish is on its way");
        everyone.hear(Some(sent));
        assert_eq!(everyone.otherwise(&mine), Some(sent), "and the threshold is told again");
    }

    #[test]
    fn while_a_slider_is_dragged_older_answers_count_for_nothing() {
        let mut everyone = Everyone::default();
        everyone.hear(Some(SERVER()));
        for (at_ms, px) in [(0.0, 5.0), (100.0, 6.0), (200.0, 7.0)] {
            everyone.ask("threshold", &px.to_string());
            assert_eq!(everyone.due(at_ms), Some(threshold(px)));
        }
        for px in [5.0, 6.0] {
            assert_eq!(everyone.hear(Some(threshold(px))), None);
            assert_eq!(everyone.otherwise(&threshold(7.0)), None, "{px}");
        }
        everyone.hear(Some(threshold(7.0)));
        assert_eq!(everyone.otherwise(&threshold(7.0)), None);
        assert_eq!(everyone.settle(1e9), None);
    }

    #[test]
    fn what_is_refused_goes_back_and_what_somebody_overtook_is_told() {
        let mut everyone = Everyone::default();
        everyone.hear(Some(SERVER()));
        everyone.ask("model", "4");
        everyone.due(0.0).unwrap();
        everyone.hear(Some(SERVER()));
        assert_eq!(everyone.settle(WISH_MS - 1.0), None);
        assert_eq!(everyone.settle(WISH_MS + 1.0), Some(SERVER()), "refused");

        everyone.ask("threshold", "8");
        let mine = everyone.due(10_000.0).unwrap();
        everyone.hear(Some(threshold(30.0)));
        assert_eq!(everyone.settle(20_000.0), None, "somebody was later");
        assert_eq!(everyone.otherwise(&mine), Some(threshold(30.0)));
    }

    #[test]
    fn a_wish_made_before_the_server_is_heard_or_while_it_is_gone_is_kept() {
        let mut everyone = Everyone::default();
        everyone.ask("threshold", "8");
        assert_eq!(everyone.due(0.0), None);
        let server = ServerTuning { budget_percent: 60, ..SERVER() };
        let expected = ServerTuning { budget_percent: 60, ..threshold(8.0) };
        assert_eq!(everyone.hear(Some(server)), Some(expected));
        assert_eq!(everyone.due(9_000.0), Some(expected));
        everyone.hear(None); // the connection went before the answer came
        everyone.ask("budget", "70");
        assert_eq!(everyone.due(9_100.0), None);
        everyone.hear(Some(server));
        let both = ServerTuning { budget_percent: 70, ..expected };
        assert_eq!(everyone.due(9_200.0), Some(both));
    }

    #[test]
    fn a_wish_made_while_another_is_under_way_leaves_what_somebody_chose_in_between() {
        let mut everyone = Everyone::default();
        everyone.hear(Some(SERVER()));
        everyone.ask("budget", "50");
        everyone.due(0.0).unwrap();
        everyone.hear(Some(threshold(12.0)));
        everyone.ask("far", "delayed");
        let both = ServerTuning { budget_percent: 50, far_delayed: true, ..threshold(12.0) };
        assert_eq!(everyone.due(100.0), Some(both));
    }

    #[test]
    fn who_joins_anew_finds_the_controls_as_they_were_left() {
        let mut everyone = Everyone::default();
        let mine = everyone.hear(Some(SERVER())).unwrap();
        everyone.hear(Some(threshold(12.0)));
        assert_eq!(everyone.hear(None), None);
        assert_eq!(everyone.otherwise(&mine), None, "nothing is told without a connection");
        assert_eq!(everyone.hear(Some(threshold(12.0))), None, "no control moves");
        assert_eq!(everyone.otherwise(&mine), Some(threshold(12.0)));
    }

    #[test]
    fn several_changes_are_told_in_one_sentence_and_the_hills_have_their_own_words() {
        let other =
            ServerTuning { policy: PolicyChoice::EveryThird, near_delayed: true, ..threshold(2.0) };
        assert_eq!(
            told_change(&SERVER(), &other),
            "Someone set the threshold to 2 px, fairness to \"one in three\" and near ones to \
             \"delayed\" for everyone."
        );
        let hills = HillsTuning { train_on_path: false, ..HillsTuning::default() };
        assert_eq!(
            told_change(&HillsTuning::default(), &hills),
            "Someone set the train to \"kinematic\" for everyone."
        );
    }
}
