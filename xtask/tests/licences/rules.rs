//! Rules for what the workspace takes from outside.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toml::Table;

use crate::expression;

/// What may be used.
pub struct Policy {
    /// Licences that anything may have.
    pub allowed: Vec<String>,
    /// Licences that one crate may have.
    pub exceptions: Vec<Exception>,
    /// Crates whose types meet in our API, so that two versions would not fit together.
    pub one_version: Vec<String>,
}

impl Policy {
    /// The rules in a `deny.toml`.
    pub fn from_deny(text: &str) -> Self {
        let deny: Table = text.parse().expect("deny.toml is TOML");
        let licences = &deny["licenses"];
        let exceptions = values(&licences["exceptions"]).flat_map(|it| {
            let name = word(&it["crate"]);
            let exception = move |licence| Exception { name: name.clone(), licence: word(licence) };
            values(&it["allow"]).map(exception)
        });
        let denied = values(&deny["bans"]["deny"]);
        let doubled = denied.filter(|it| it.get("deny-multiple-versions").is_some());
        Self {
            allowed: values(&licences["allow"]).map(word).collect(),
            exceptions: exceptions.collect(),
            one_version: doubled.map(|it| word(&it["crate"])).collect(),
        }
    }
}

fn values(list: &toml::Value) -> impl Iterator<Item = &toml::Value> {
    list.as_array().expect("deny.toml has a list here").iter()
}

fn word(value: &toml::Value) -> String {
    value.as_str().expect("deny.toml has a word here").to_owned()
}

/// A licence that one crate may have. A crate that only ships a file with its terms, without an
/// expression, has the licence [`FILE_ONLY`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    pub name: String,
    pub licence: String,
}

/// What stands for the licence of a crate that names only a file.
pub const FILE_ONLY: &str = "file";

/// The part of a package's description that the rules are about.
#[derive(Debug, Default)]
pub struct Package {
    name: String,
    version: String,
    licence: Option<String>,
    /// `None` for a folder on this machine.
    source: Option<String>,
    /// Requirements in the manifest: name and versions. Those of folders are left out.
    requirements: Vec<(String, String)>,
}

/// All packages in the output of `cargo metadata`.
pub fn packages(metadata: &Value) -> Vec<Package> {
    list(metadata, "packages").iter().map(package).collect()
}

/// Everything that the policy does not allow.
pub fn complaints(policy: &Policy, packages: &[Package]) -> Vec<String> {
    let all = complaints_beside(policy, packages);
    all.into_iter().chain(unused_exceptions(policy, packages)).collect()
}

/// As [`complaints`], of a workspace that needs only some of the exceptions.
pub fn complaints_beside(policy: &Policy, packages: &[Package]) -> Vec<String> {
    let registry = default_registry(packages);
    let each = packages.iter().flat_map(|it| {
        let mut found: Vec<String> = wildcards(it);
        found.extend(licence_complaint(policy, it));
        found.extend(source_complaint(it, registry));
        found
    });
    each.chain(doubled(policy, packages)).collect()
}

/// Crates there in several versions, one line each: they cost time to compile, nothing else.
pub fn duplicates(packages: &[Package]) -> Vec<String> {
    versions(packages)
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| format!("{name} is compiled as {}", joined(&versions)))
        .collect()
}

fn licence_complaint(policy: &Policy, package: &Package) -> Option<String> {
    let Package { name, version, licence, .. } = package;
    let is_exempt = |licence: &str| {
        policy.exceptions.iter().any(|it| it.name == *name && it.licence == licence)
    };
    let allows =
        |licence: &str| policy.allowed.iter().any(|it| it == licence) || is_exempt(licence);
    let Some(text) = licence else {
        return Some(format!("{name} {version} names no licence"));
    };
    match expression::is_satisfied(text, &allows) {
        Ok(true) => None,
        Ok(false) => Some(format!(
            "{name} {version} is licensed as `{text}`: do without it, or allow it in \
             deny.toml, with the reason"
        )),
        Err(error) => Some(format!("{name} {version} has no valid licence: {error}")),
    }
}

/// Where most packages come from. A manifest needs no entry for it, and its name is cargo's affair.
fn default_registry(packages: &[Package]) -> Option<&str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for source in packages.iter().filter_map(|it| it.source.as_deref()) {
        *counts.entry(source).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(source, _)| source)
}

fn source_complaint(package: &Package, registry: Option<&str>) -> Option<String> {
    let Package { name, version, source, .. } = package;
    let is_default = |it: &str| Some(it) == registry && it.starts_with("registry+");
    let source = source.as_deref().filter(|it| !is_default(it))?;
    Some(format!("{name} {version} comes from {source}, not from the default registry"))
}

/// Our own requirements that would take any version.
fn wildcards(package: &Package) -> Vec<String> {
    let is_ours = package.source.is_none();
    let wild =
        package.requirements.iter().filter(|(_, versions)| is_ours && versions.contains('*'));
    wild.map(|(name, versions)| {
        format!("{} requires {name} `{versions}`: say which version", package.name)
    })
    .collect()
}

fn unused_exceptions(policy: &Policy, packages: &[Package]) -> Vec<String> {
    let unused = policy.exceptions.iter().filter(|it| packages.iter().all(|p| p.name != it.name));
    unused.map(|it| format!("{} is gone: remove its exception from deny.toml", it.name)).collect()
}

fn doubled(policy: &Policy, packages: &[Package]) -> Vec<String> {
    let all = versions(packages);
    let doubled = policy.one_version.iter().filter_map(|name| {
        let versions = all.get(name.as_str()).filter(|it| it.len() > 1)?;
        Some(format!("{name} is there as {}: its types must be one", joined(versions)))
    });
    doubled.collect()
}

fn versions(packages: &[Package]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut all = BTreeMap::<_, BTreeSet<_>>::new();
    for it in packages {
        all.entry(it.name.as_str()).or_default().insert(it.version.as_str());
    }
    all
}

fn joined(versions: &BTreeSet<&str>) -> String {
    versions.iter().copied().collect::<Vec<_>>().join(" and ")
}

fn package(value: &Value) -> Package {
    let file = value["license_file"].as_str().map(|_| FILE_ONLY);
    let requirements = list(value, "dependencies").iter().filter(|it| it["path"].is_null());
    Package {
        name: text(value, "name"),
        version: text(value, "version"),
        licence: value["license"].as_str().or(file).map(String::from),
        source: value["source"].as_str().map(String::from),
        requirements: requirements.map(|it| (text(it, "name"), text(it, "req"))).collect(),
    }
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().expect("cargo metadata has this list")
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().expect("cargo metadata has this text").to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn policy() -> Policy {
        Policy {
            allowed: vec!["MIT".into()],
            exceptions: vec![Exception { name: "data".into(), licence: FILE_ONLY.into() }],
            one_version: vec!["glam".into()],
        }
    }

    #[test]
    fn the_policy_is_that_of_cargo_deny() {
        let policy = Policy::from_deny(
            "[licenses]\nallow = ['MIT', 'ISC']\nexceptions = [{ crate = 'data', allow = ['X'] }]\n\
             [bans]\ndeny = [{ crate = 'bad' }, { crate = 'glam', deny-multiple-versions = true }]",
        );

        assert_eq!(policy.allowed, ["MIT", "ISC"]);
        assert_eq!(policy.exceptions, [Exception { name: "data".into(), licence: "X".into() }]);
        assert_eq!(policy.one_version, ["glam"]);
    }

    /// One crate of ours, one from the registry, one with an exception.
    fn good() -> Value {
        json!({ "packages": [
            { "name": "ours", "version": "1.0.0", "license": "MIT", "license_file": null,
              "source": null, "dependencies": [
                { "name": "glam", "req": "^0.32", "path": null },
                { "name": "beside", "req": "*", "path": "crates/beside" } ] },
            { "name": "glam", "version": "0.32.1", "license": "MIT/Apache-2.0",
              "license_file": null, "source": "registry+default", "dependencies": [
                { "name": "any", "req": "*", "path": null } ] },
            { "name": "data", "version": "2.0.0", "license": null, "license_file": "TERMS",
              "source": "registry+default", "dependencies": [] },
        ] })
    }

    /// What is said when one thing about the good packages is changed.
    fn changed(change: impl FnOnce(&mut Vec<Value>)) -> Vec<String> {
        let mut metadata = good();
        change(metadata["packages"].as_array_mut().unwrap());
        complaints(&policy(), &packages(&metadata))
    }

    #[track_caller]
    fn demand(complaints: &[String], part: &str) {
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains(part), "{complaints:?}");
    }

    #[test]
    fn what_the_policy_allows_passes() {
        assert_eq!(changed(|_| {}), [""; 0]);
    }

    #[test]
    fn licences_are_judged() {
        demand(&changed(|it| it[1]["license"] = json!("GPL-3.0")), "`GPL-3.0`");
        demand(&changed(|it| it[1]["license"] = json!("MIT AND GPL-3.0")), "deny.toml");
        demand(&changed(|it| it[1]["license"] = json!("MIT OR")), "no valid licence");
        demand(&changed(|it| it[1]["license"] = json!(null)), "names no licence");
        let file = |it: &mut Vec<Value>| {
            (it[1]["license"], it[1]["license_file"]) = (json!(null), json!("TERMS"));
        };
        demand(&changed(file), "glam 0.32.1 is licensed as `file`");
    }

    #[test]
    fn an_exception_is_for_one_crate_and_goes_when_it_goes() {
        demand(&changed(|it| it[2]["license"] = json!("Other")), "data 2.0.0 is licensed as");
        demand(&changed(|it| drop(it.remove(2))), "data is gone");
    }

    #[test]
    fn other_sources_are_refused() {
        demand(&changed(|it| it[1]["source"] = json!("git+https://example.org/x")), "comes from");
        demand(&changed(|it| it[2]["source"] = json!("registry+https://example.org")), "comes");
    }

    #[test]
    fn our_own_requirements_name_a_version() {
        demand(&changed(|it| it[0]["dependencies"][0]["req"] = json!("*")), "requires glam `*`");
        demand(&changed(|it| it[0]["dependencies"][0]["req"] = json!("0.*")), "requires glam");
    }

    #[test]
    fn the_vectors_are_there_once_and_other_crates_are_only_counted() {
        let again = |name: &'static str| {
            move |it: &mut Vec<Value>| {
                let mut other = it[1].clone();
                (other["name"], other["version"]) = (json!(name), json!("0.30.0"));
                it.push(other.clone());
                other["version"] = json!("0.31.0");
                it.push(other);
            }
        };
        demand(&changed(again("glam")), "glam is there as 0.30.0 and 0.31.0 and 0.32.1");
        assert_eq!(changed(again("rand")), [""; 0]);

        let mut metadata = good();
        again("rand")(metadata["packages"].as_array_mut().unwrap());
        let lines = duplicates(&packages(&metadata));
        assert_eq!(lines, ["rand is compiled as 0.30.0 and 0.31.0"]);
    }
}
