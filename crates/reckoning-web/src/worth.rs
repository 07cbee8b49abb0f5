//! What each planner is worth here, and how well we are served, in words for people.

use reckoning_arena::protocol::{ErrorAccounts, ModelChoice, PlannerFigures, PlannerWorth};

/// Both figures of a planner as shares of those of constant velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// Its error.
    pub error: f64,
    /// Its updates.
    pub updates: f64,
}

/// Differences below this are not worth a colour.
const SAME: f64 = 0.03;

/// A planner's figures beside those of [`ModelChoice::Linear`]; `None` while they are measured, and
/// for planners that the server cannot run.
#[must_use]
pub fn worth_of(worth: &PlannerWorth, choice: ModelChoice) -> Option<Worth> {
    let of = |choice: ModelChoice| worth.planners.get(choice as usize).copied().flatten();
    let (it, linear): (PlannerFigures, PlannerFigures) = (of(choice)?, of(ModelChoice::Linear)?);
    let share = |part: f32, whole: f32| f64::from(part) / f64::from(whole).max(1e-3);
    Some(Worth {
        error: share(it.error_px, linear.error_px),
        updates: share(it.updates_per_s, linear.updates_per_s),
    })
}

/// What stands beside a planner's name, as markup: why it cannot be chosen, or both shares.
#[must_use]
pub fn worth_html(missing: Option<&str>, worth: Option<Worth>) -> String {
    match (missing, worth) {
        (Some(why), _) => why.to_string(),
        (None, None) => "measuring".to_string(),
        (None, Some(worth)) => [worth.error, worth.updates].map(share_html).concat(),
    }
}

fn share_html(share: f64) -> String {
    let class = match share {
        _ if share < 1.0 - SAME => "good",
        _ if share > 1.0 + SAME => "bad",
        _ => "same",
    };
    format!("<i class=\"{class}\">{share:.2}×</i>")
}

/// The line below the planners.
#[must_use]
pub fn worth_note(worth: Option<Worth>, choice: ModelChoice, delay_ms: u16) -> String {
    let Some(Worth { error, updates }) = worth else {
        return "How bodies are taken to go on between two updates. Measuring what each is worth here."
            .to_string();
    };
    format!(
        "{}: error {error:.2}×, updates {updates:.2}× of linear. All on the same bots and \
         threshold, {delay_ms} ms away, in the last five seconds.",
        choice.name()
    )
}

/// Our account of errors and where it stands among all.
#[must_use]
pub fn account_texts(accounts: &ErrorAccounts) -> [String; 2] {
    let ErrorAccounts { confirmed, estimated, listeners, spread: [least, mean, most] } = *accounts;
    let own = confirmed + estimated;
    let who = if listeners == 1 { "you alone".to_string() } else { format!("{listeners} players") };
    [
        format!("{own:.0} px·s"),
        format!(
            "Error times seconds: {confirmed:.0} confirmed and {estimated:.1} estimated. Of {who}: \
             {least:.0} to {most:.0}, {mean:.0} on average."
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn figures(error_px: f32, updates_per_s: f32) -> PlannerFigures {
        PlannerFigures { error_px, updates_per_s }
    }

    #[test]
    fn figures_are_shares_of_those_of_constant_velocity() {
        let [first, second, last] = [(20.0, 8.0), (60.0, 50.0), (16.4, 5.12)]
            .map(|(error_px, updates_per_s)| Some(figures(error_px, updates_per_s)));
        let planners = vec![first, second, None, last];
        let worth = PlannerWorth { planners };
        let linear = worth_of(&worth, ModelChoice::Linear);
        assert_eq!(linear, Some(Worth { error: 1.0, updates: 1.0 }));
        assert_eq!(worth_of(&worth, ModelChoice::Damped), None);
        assert_eq!(worth_of(&worth, ModelChoice::Pheromone), None, "an older server");
        let found = worth_of(&worth, ModelChoice::Accelerating);
        let html = worth_html(None, found);
        assert_eq!(html, "<i class=\"good\">0.82×</i><i class=\"good\">0.64×</i>");
        assert!(worth_note(found, ModelChoice::Accelerating, 150).contains("error 0.82×, updates"));
        assert_eq!(worth_html(None, None), "measuring");
        assert_eq!(worth_html(Some("no map"), found), "no map");
        assert_eq!(worth_of(&PlannerWorth { planners: Vec::new() }, ModelChoice::Linear), None);
    }

    #[test]
    fn an_account_says_who_it_is_compared_with() {
        let accounts = ErrorAccounts {
            confirmed: 120.4,
            estimated: 3.2,
            listeners: 3,
            spread: [90.0, 110.0, 124.0],
        };
        let [own, note] = account_texts(&accounts);
        assert_eq!(own, "124 px·s");
        assert!(note.contains("Of 3 players: 90 to 124, 110 on average"), "{note}");
        let alone = ErrorAccounts { listeners: 1, ..accounts };
        assert!(account_texts(&alone)[1].contains("you alone"));
    }
}
