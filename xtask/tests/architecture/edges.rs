//! Allowed dependencies between the crates, and of the engine on others.

use serde_json::Value;

const ENGINE: &str = "reckoning";
/// Of use to the tests of every crate, and itself using none.
const TESTING: &str = "reckoning-testing";

/// What one crate of the workspace may use of the others.
struct Rule {
    name: &'static str,
    uses: &'static [&'static str],
    /// Beyond `uses`, for tests, benches and examples.
    tests_use: &'static [&'static str],
}

const fn rule(name: &'static str, uses: &'static [&'static str]) -> Rule {
    Rule { name, uses, tests_use: &[] }
}

const PREDICT: &str = "reckoning-predict";
const NET: &str = "reckoning-net";
const RECORDING: &str = "reckoning-recording";
const NETSIM: &str = "reckoning-netsim";
const MESH: &str = "reckoning-mesh";
const SERVER: &str = "reckoning-server";
const CLIENT: &str = "reckoning-client";
const DIS: &str = "reckoning-dis";
const ARENA: &str = "reckoning-arena";
const LAB: &str = "reckoning-lab";
const WEB: &str = "reckoning-web";

/// The whole design: a crate not named here, or an edge not listed, fails the test. First the
/// product, then research and play, which see the product and are never seen by it.
const RULES: [Rule; 16] = [
    rule(ENGINE, &[]),
    rule(PREDICT, &[ENGINE]),
    rule(RECORDING, &[ENGINE]),
    rule(NETSIM, &[ENGINE]),
    Rule {
        name: MESH,
        uses: &[ENGINE],
        tests_use: &[NETSIM], // its model checker needs links
    },
    Rule { name: NET, uses: &[ENGINE, PREDICT], tests_use: &[NETSIM] },
    Rule {
        name: CLIENT,
        uses: &[ENGINE, PREDICT, NET],
        tests_use: &[SERVER], // its example is both ends
    },
    Rule {
        name: SERVER,
        uses: &[ENGINE, PREDICT, NET, RECORDING, NETSIM, MESH],
        tests_use: &[CLIENT, DIS], // somebody to serve, and the guide
    },
    rule(ARENA, &[ENGINE, PREDICT, NET]),
    Rule { name: DIS, uses: &[ENGINE], tests_use: &[NETSIM] },
    rule(LAB, &[ENGINE, PREDICT, NET, RECORDING, NETSIM, DIS, ARENA]), // its bots make recordings
    Rule {
        name: WEB,
        uses: &[ENGINE, PREDICT, NET, ARENA, CLIENT],
        tests_use: &[NETSIM], // its jitter buffer needs a link that jitters
    },
    rule(
        "reckon",
        &[ENGINE, PREDICT, NET, RECORDING, NETSIM, DIS, ARENA, LAB, CLIENT, SERVER, WEB],
    ),
    rule(TESTING, &[]),
    rule("reckoning-fuzz-targets", &[ENGINE, PREDICT, NET, RECORDING, DIS, LAB, ARENA, SERVER]),
    rule("xtask", &[]),
];

/// What every user of the engine compiles with it.
const ENGINE_NEEDS: [&str; 2] = ["glam", "libm"];
/// What a user of the engine may switch on.
const ENGINE_OFFERS: [&str; 4] = ["serde", "mint", "rayon", "multiversion"];

/// Everything in the output of `cargo metadata` that the design does not allow.
pub fn complaints(metadata: &Value) -> Vec<String> {
    let packages = list(metadata, "packages");
    let members: Vec<&str> = packages.iter().map(|it| text(it, "name")).collect();
    packages.iter().flat_map(|it| complaints_about(it, &members)).collect()
}

/// Crates that the design names and the workspace does not have.
pub fn absent(metadata: &Value) -> Vec<&'static str> {
    let packages = list(metadata, "packages");
    let exists = |rule: &&Rule| packages.iter().any(|it| text(it, "name") == rule.name);
    RULES.iter().filter(|it| !exists(it)).map(|it| it.name).collect()
}

fn complaints_about(package: &Value, members: &[&str]) -> Vec<String> {
    let name = text(package, "name");
    let Some(rule) = RULES.iter().find(|it| it.name == name) else {
        return vec![format!(
            "crate `{name}` is not in the design: say what it may use in RULES of \
             xtask/tests/architecture/edges.rs and where it belongs in ARCHITECTURE.md"
        )];
    };
    list(package, "dependencies")
        .iter()
        .filter_map(|dependency| {
            if members.contains(&text(dependency, "name")) {
                inner_complaint(rule, dependency)
            } else {
                outer_complaint(rule, dependency)
            }
        })
        .collect()
}

/// About an edge between two crates of the workspace.
fn inner_complaint(rule: &Rule, dependency: &Value) -> Option<String> {
    let (from, to) = (rule.name, text(dependency, "name"));
    let for_tests = is_for_tests(dependency);
    let tests_may = rule.tests_use.contains(&to) || to == TESTING;
    if rule.uses.contains(&to) || (for_tests && tests_may) {
        return None;
    }
    let kind = if for_tests { "dev-dependency" } else { "dependency" };
    Some(format!(
        "{kind} `{from} -> {to}` is not in the design, which allows `{from}` {:?}: remove it \
         from the Cargo.toml of `{from}`, or move what is shared into a crate both may use",
        rule.uses
    ))
}

/// About an edge from the engine to the outside; other crates may use what they like.
fn outer_complaint(rule: &Rule, dependency: &Value) -> Option<String> {
    let name = text(dependency, "name");
    if rule.name != ENGINE || is_for_tests(dependency) || ENGINE_NEEDS.contains(&name) {
        return None;
    }
    if !ENGINE_OFFERS.contains(&name) {
        return Some(format!(
            "the engine depends on `{name}`: it may need {ENGINE_NEEDS:?} and offer \
             {ENGINE_OFFERS:?}; do without, or move the user of `{name}` to another crate"
        ));
    }
    let optional = dependency["optional"].as_bool().unwrap_or(false);
    (!optional).then(|| format!("the engine needs `{name}`: add `optional = true` to it"))
}

fn is_for_tests(dependency: &Value) -> bool {
    dependency["kind"] == "dev"
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().expect("cargo metadata has this list")
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().expect("cargo metadata has this text")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// `user` with one dependency, in a workspace that also holds the crates of the design.
    fn with_edge(user: &str, dependency: &Value) -> Vec<String> {
        let packages: Vec<Value> = RULES
            .iter()
            .map(|it| {
                let edges = if it.name == user { vec![dependency.clone()] } else { vec![] };
                json!({ "name": it.name, "dependencies": edges })
            })
            .collect();
        complaints(&json!({ "packages": packages }))
    }

    fn normal(name: &str) -> Value {
        json!({ "name": name, "kind": null, "optional": false })
    }

    fn for_tests(name: &str) -> Value {
        json!({ "name": name, "kind": "dev", "optional": false })
    }

    #[test]
    fn edges_of_the_design_pass() {
        for (user, used) in [
            ("reckoning-net", "reckoning"),
            ("reckoning-server", "reckoning-recording"),
            ("reckoning-web", "reckoning-arena"),
            ("reckon", "reckoning-server"),
        ] {
            assert_eq!(with_edge(user, &normal(used)), [""; 0], "{user} -> {used}");
            assert_eq!(with_edge(user, &for_tests(used)), [""; 0], "{user} -> {used}");
        }
    }

    #[test]
    fn an_edge_against_the_arrows_is_named() {
        for (user, used) in [
            ("reckoning", "reckoning-net"),
            ("reckoning-lab", "reckoning-server"),
            ("reckoning-dis", "reckoning-net"),
            ("reckoning-arena", "reckoning-server"),
            ("reckoning-server", "reckoning-lab"),
            ("reckoning-net", "reckoning-arena"),
            ("reckon", "xtask"),
            ("xtask", "reckoning"),
        ] {
            let complaints = with_edge(user, &normal(used));
            assert_eq!(complaints.len(), 1, "{user} -> {used}");
            assert!(complaints[0].contains(&format!("`{user} -> {used}`")), "{complaints:?}");
        }
    }

    #[test]
    fn tests_have_their_own_allowance() {
        assert_eq!(with_edge("reckoning-server", &for_tests("reckoning-client")), [""; 0]);
        assert_eq!(with_edge("reckoning-server", &normal("reckoning-client")).len(), 1);
        assert_eq!(with_edge("reckoning", &for_tests(TESTING)), [""; 0]);
        assert_eq!(with_edge("reckon", &normal(TESTING)).len(), 1);

        let complaints = with_edge("reckoning", &for_tests("reckoning-lab"));
        assert!(complaints[0].starts_with("dev-dependency `reckoning -> "), "{complaints:?}");
    }

    #[test]
    fn an_unknown_crate_is_told_where_to_register() {
        let packages = json!([{ "name": "reckoning-extra", "dependencies": [] }]);
        let complaints = complaints(&json!({ "packages": packages }));

        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].contains("`reckoning-extra` is not in the design"));
        assert!(complaints[0].contains("RULES"));
    }

    #[test]
    fn a_rule_without_its_crate_is_named() {
        let packages = json!([{ "name": "reckoning", "dependencies": [] }]);

        let absent = absent(&json!({ "packages": packages }));

        assert_eq!(absent.len(), RULES.len() - 1);
        assert!(!absent.contains(&"reckoning"));
    }

    #[test]
    fn the_engine_takes_little_from_outside() {
        let optional_serde = json!({ "name": "serde", "kind": null, "optional": true });
        let build_script = json!({ "name": "cc", "kind": "build", "optional": false });

        assert_eq!(with_edge("reckoning", &normal("glam")), [""; 0]);
        assert_eq!(with_edge("reckoning", &optional_serde), [""; 0]);
        assert_eq!(with_edge("reckoning", &for_tests("proptest")), [""; 0]);
        assert_eq!(with_edge("reckoning-server", &normal("tokio")), [""; 0]);
        assert!(with_edge("reckoning", &normal("rand"))[0].contains("depends on `rand`"));
        assert!(with_edge("reckoning", &build_script)[0].contains("depends on `cc`"));
        assert!(with_edge("reckoning", &normal("serde"))[0].contains("optional = true"));
    }
}
