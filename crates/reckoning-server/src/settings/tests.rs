use reckoning_net::{ClampDetail, ClampMode, Facing, Footprint, JointSource, PropertyType, Seen};

use super::*;

fn refusal(text: &str) -> String {
    Settings::from_toml(text).unwrap_err().to_string()
}

#[test]
fn the_documented_file_holds_the_defaults() {
    assert_eq!(Settings::from_toml(DEFAULT_FILE).unwrap(), Settings::default());
    assert_eq!(Settings::default().tick_hz, 60);
}

#[test]
fn every_setting_has_a_comment_above_it() {
    let mut commented = false;
    for line in DEFAULT_FILE.lines() {
        if line.starts_with('#') {
            commented = true;
        } else if line.is_empty() || line.starts_with('[') {
            commented = false;
        } else {
            // The two files of a certificate share a comment.
            assert!(commented || line.starts_with("key_file"), "no comment above `{line}`");
            commented = line.starts_with("chain_file");
        }
    }
}

/// The default of a setting, as its documentation says it.
fn documented(name: &str, value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) if text.is_empty() => "none".to_string(),
        toml::Value::String(text) => format!("`{text}`"),
        toml::Value::Float(seconds) if name.ends_with("_s") => format!("{seconds} s"),
        toml::Value::Array(list) if list.is_empty() => "none".to_string(),
        toml::Value::Array(list) if list.iter().all(toml::Value::is_float) => {
            let list: Vec<String> = list.iter().map(|it| documented("", it)).collect();
            list.join(", ")
        }
        toml::Value::Array(list) => {
            let list: Vec<&str> = list.iter().filter_map(toml::Value::as_str).collect();
            format!("`{}`", list.join(", "))
        }
        toml::Value::Integer(whole) => whole.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(truth) => truth.to_string(),
        other => panic!("no setting is {other:?}"),
    }
}

#[test]
fn every_field_documents_the_default_of_the_file() {
    let source: Vec<&str> = include_str!("mod.rs").lines().map(str::trim).collect();
    let check = |name: &str, value: &toml::Value| {
        let field = name.strip_suffix("_s").filter(|_| value.is_float()).unwrap_or(name);
        let field = format!("pub {field}: ");
        let line = source.iter().position(|line| line.starts_with(&field)).expect(name);
        let above = source[..line].iter().rev();
        let mut doc: Vec<&str> =
            above.take_while(|it| it.starts_with(['/', '#'])).copied().collect();
        doc.reverse();
        let doc = doc.join("\n").replace("\n///", "");
        let default = format!("Default: {}.", documented(name, value));
        assert!(doc.contains(&default), "{name}: `{default}` is not in its documentation");
    };
    for (name, value) in &parse(DEFAULT_FILE).unwrap() {
        match value {
            toml::Value::Table(section) => section.iter().for_each(|(name, it)| check(name, it)),
            value => check(name, value),
        }
    }
}

#[test]
fn a_file_needs_only_what_differs() {
    let settings = Settings::from_toml("tick_hz = 20\n[limits]\npeers = 3\n").unwrap();

    assert_eq!((settings.tick_hz, settings.limits.peers), (20, 3));
    assert_eq!(settings.limits.addresses, Settings::default().limits.addresses);
}

#[test]
fn flags_win_over_files() {
    let mut table = parse("tick_hz = 20\n[limits]\npeers = 3\n").unwrap();
    for flag in ["tick_hz=30", "limits.join_timeout_s=2", "recording.folder=sessions"] {
        set(&mut table, flag).unwrap();
    }
    let settings = Settings::from_table(table).unwrap();

    assert_eq!((settings.tick_hz, settings.limits.peers), (30, 3));
    assert_eq!(settings.limits.join_timeout, Duration::from_secs(2));
    assert_eq!(settings.recording.folder, Some("sessions".into()));
    assert!(set(&mut Table::new(), "tick_hz").is_err());
    assert!(set(&mut Table::new(), "limits.=3").is_err());
}

#[test]
fn a_demonstration_is_on_loopback_unless_said_otherwise() {
    let is_demo = |text: &str| Settings::from_toml(text).unwrap().is_demo();
    assert!(Settings::default().is_demo());
    assert!(is_demo("listen = '[::1]:4433'") && !is_demo("demo = 'off'"));
    assert!(!is_demo("[proxies]\ntrusted = ['127.0.0.1']"), "everyone comes by the proxy");
    assert!(!is_demo("listen = '0.0.0.0:4433'"), "everyone reaches this one");
    assert!(!is_demo("listen = '192.0.2.7:4433'"));
    assert!(is_demo("listen = '0.0.0.0:4433'\ndemo = 'on'"));
}

#[test]
fn a_misspelt_name_is_told_the_names_there_are() {
    let message = refusal("[limits]\npeer = 3");
    assert!(message.starts_with("no setting is called `limits.peer`; known here: "), "{message}");
    assert!(message.contains("peers"), "{message}");
}

#[test]
fn a_wrong_value_is_named_with_what_would_do() {
    let expected = "setting limits.peers = \"many\" is of the wrong kind; the default is 256";
    assert_eq!(refusal("[limits]\npeers = 'many'"), expected);
    assert_eq!(refusal("tick_hz = 0"), "setting tick_hz = 0 is out of range; give 1 to 240");
    assert!(refusal("[limits]\njoin_timeout_s = -1").contains("give 0.1 to 60"));
    assert!(refusal("access = 'token'").contains("reckon token --new-key"));
    assert!(refusal("access = 'closed'").contains("open"));
    assert!(refusal("listen = 'nowhere'").contains("socket address"));
    for wrong in ["10.0.0", "10.0.0.0/33", "::/129", "10.0.0.1/x"] {
        let message = refusal(&format!("[proxies]\ntrusted = ['{wrong}']"));
        assert!(message.contains("neither an address nor a network"), "{message}");
    }
    assert!(refusal("origins = ['example.org']").contains("https://"));
    let reserve = "token_key_file = 'k'\n[limits]\npeers = 8\nreserved_peers = 8";
    assert!(refusal(reserve).contains("limits.reserved_peers"));
    assert!(refusal("operator_listen = 'nowhere'").contains("neither auto, public nor"));
    assert!(refusal("[certificate]\nchain_file = 'a.pem'").contains("both"));
    assert!(refusal("tick_hz = = 3").contains("line 1"));
}

#[test]
fn every_setting_is_compared_when_settings_are_reloaded() {
    let settings = Settings::default();
    let numbers = super::validate::rules(&settings).into_iter().map(|it| it.0);
    let texts = super::reload::texts(&settings).into_iter().map(|it| it.0);
    let mut compared: Vec<&str> = numbers.chain(texts).collect();
    compared.sort_unstable();
    compared.dedup();
    let mut there = Vec::new();
    for (name, value) in &parse(DEFAULT_FILE).unwrap() {
        match value {
            toml::Value::Table(section) => {
                there.extend(section.keys().map(|it| format!("{name}.{it}")));
            }
            _ => there.push(name.clone()),
        }
    }
    there.sort_unstable();
    assert_eq!(compared, there);
    assert!(CHANGEABLE.iter().all(|name| compared.contains(name)));
}

#[test]
fn settings_that_differ_are_named() {
    let changed = Settings::from_toml("log = 'debug'\ntick_hz = 30\n[shutdown]\ndrain_s = 9\n");
    let differences = Settings::default().differences(&changed.unwrap());
    assert_eq!(differences, ["log", "shutdown.drain_s", "tick_hz"]);
    assert!(Settings::default().differences(&Settings::default()).is_empty());
}

/// What the documented file says of kinds and properties, as a file that declares them.
fn documented_kind() -> String {
    let lines = DEFAULT_FILE.lines().skip_while(|line| *line != "#   [[kind]]");
    let lines = lines.filter_map(|line| line.strip_prefix("#   "));
    lines.collect::<Vec<_>>().join("\n")
}

/// The names of a table that the documented file has and a refusal of an unknown one does not know.
fn undocumented(table: &toml::Value, unknown: &str) -> Vec<String> {
    let table = table.as_table().unwrap();
    let missing: Vec<_> =
        table.keys().filter(|it| !unknown.contains(&format!("`{it}`"))).cloned().collect();
    assert_eq!(named_in(unknown), table.len() + 1, "{unknown}");
    missing
}

/// How many names the first line of a message quotes.
fn named_in(message: &str) -> usize {
    message.lines().next().unwrap_or_default().matches('`').count() / 2
}

#[test]
fn the_documented_kind_holds_the_defaults() {
    let settings = Settings::from_toml(&documented_kind()).unwrap();
    let mut tank = KindSettings::default();
    tank.name = "tank".to_string();
    tank.joint = vec![JointSettings::default()];
    tank.joint[0].name = "turret".to_string();
    tank.class = vec![KindClassSettings::default()];
    assert_eq!(settings.kind, [tank]);
    let mut nickname = PropertySettings::default();
    nickname.name = "nickname".to_string();
    assert_eq!(settings.property, [nickname]);
    // All that there are, or the file does not document every one.
    let toml: Table = documented_kind().parse().unwrap();
    let kind = &toml["kind"][0];
    for (table, wrong) in [
        (kind, "[[kind]]\nname = 'a'\nwrong = 1"),
        (&kind["class"][0], "[[kind]]\nname = 'a'\n[[kind.class]]\nwrong = 1"),
        (&kind["joint"][0], "[[kind]]\nname = 'a'\n[[kind.joint]]\nwrong = 1"),
        (&toml["property"][0], "[[property]]\nname = 'a'\nwrong = 1"),
    ] {
        let unknown = refusal(wrong);
        assert_eq!(undocumented(table, &unknown), Vec::<String>::new(), "{unknown}");
    }
}

#[test]
fn kinds_are_as_the_file_says() {
    let text = "relay_kind = 'tank'\n[[kind]]\nname = 'tank'\nthreshold_m = 0.5\nheartbeat_ms = 2000\n\
                model = 'damped'\nfade_ms = 700\nplanner = 'oaekb-hybrid'\nblend = 'snap'\n\
                threshold_by_place_m = [0.2, 0.8]\nprevents = true\ntop_speed_mps = 20\n\
                importance = 3.0\nvisibility = 'team'\ndormant = true\nnearest = 9\n\
                codes = [2, 3, 1, 4, 0, 4, 3, 3, 8, 5, 1]\n\
                [[kind.class]]\nradius_m = 50.0\n[[kind.class]]\ncoarser_log2 = 3\n\
                [[kind]]\nname = 'shell'\nangle_threshold_deg = 0\nplanner = 'chooser'\nfade_ms = 300\n";
    let kinds = Settings::from_toml(text).unwrap().kinds().unwrap();
    let tank = kinds.get(kinds.named("tank").unwrap()).unwrap();
    assert_eq!(tank.publisher.threshold.max_error_m(), 0.5);
    assert_eq!(tank.publisher.heartbeat, Duration::from_secs(2));
    assert_eq!(tank.publisher.model, reckoning::Model::Damped { fade: Duration::from_millis(700) });
    assert!(
        matches!(tank.planner, reckoning_net::PlannerKind::OaekbHybrid(it) if it.battle_m == 8.0)
    );
    assert_eq!(tank.threshold_by_place.map(|it| (it.min_m, it.max_m)), Some((0.2, 0.8)));
    assert!(tank.prevents && tank.dormant);
    assert_eq!(tank.codes.unwrap().numbers(), [2, 3, 1, 4, 0, 4, 3, 3, 8, 5, 1]);
    assert_eq!((tank.importance, tank.visibility), (3.0, reckoning_net::Visibility::Team));
    assert_eq!(tank.zones.as_ref().unwrap().nearest, std::num::NonZeroUsize::new(9));
    assert!(
        matches!(tank.show, reckoning_net::Show::Reckoned(it) if it.blend == reckoning::Blend::Snap)
    );
    assert_eq!(tank.guard.unwrap().envelope.speed_mps, 20.0);
    let classes = &tank.zones.as_ref().unwrap().classes;
    assert_eq!(classes.iter().map(|it| it.coarser_log2).collect::<Vec<_>>(), [0, 3]);
    let shell = kinds.get(kinds.named("shell").unwrap()).unwrap();
    assert_eq!((shell.publisher.angle_threshold, &shell.zones, shell.guard), (None, &None, None));
    let reckoning_net::PlannerKind::Chooser(chooser) = &shell.planner else { panic!("a chooser") };
    assert_eq!((chooser.fade, chooser.patterns.battle_m), (Duration::from_millis(300), 8.0));
    let mut plain = Settings::default();
    plain.kind = vec![KindSettings::default()];
    assert!(plain.validate().is_err(), "a kind without a name, however it came");
}

#[test]
fn a_file_can_say_how_closely_a_kind_is_published_and_shown() {
    let text = "[[kind]]\nname = 'runner'\njudge_ahead_ms = 200\naim = true\naim_max_offset = 0.5\n\
                aim_overhead_bytes = 40\nclose_width_m = 0.25\nmax_shown_speed_mps = 12\nhedged = true\n\
                [[kind]]\nname = 'far'\naim = true\naim_delay_ms = 350\n\
                [[kind]]\nname = 'plain'\n";
    let kinds = Settings::from_toml(text).unwrap().kinds().unwrap();
    let far = kinds.get(kinds.named("far").unwrap()).unwrap();
    let behind = reckoning::AimConfig::for_delay(Duration::from_millis(350));
    assert_eq!(far.aim, Some(behind));
    assert_eq!(far.publisher.judge_ahead, Some(behind.judge_ahead()));
    let runner = kinds.get(kinds.named("runner").unwrap()).unwrap();
    assert_eq!(runner.publisher.judge_ahead, Some(Duration::from_millis(200)));
    assert_eq!(runner.aim.map(|it| (it.max_offset, it.overhead_bytes)), Some((0.5, 40.0)));
    let reckoning_net::Show::Reckoned(shown) = runner.show else { panic!("{:?}", runner.show) };
    assert_eq!(shown.span, reckoning::BlendSpan::close(0.25));
    assert_eq!((shown.pace.map(|it| it.max_speed_mps), shown.hedged), (Some(12.0), true));
    let plain = kinds.get(kinds.named("plain").unwrap()).unwrap();
    assert_eq!((plain.publisher.judge_ahead, plain.aim), (None, None));
    let reckoning_net::Show::Reckoned(shown) = plain.show else { panic!("{:?}", plain.show) };
    assert_eq!((shown.span, shown.pace, shown.hedged), (reckoning::BlendSpan::CALM, None, false));
}

#[test]
fn a_file_can_say_all_of_how_a_kind_is_shown_and_what_is_known_of_it() {
    let text = "[[kind]]\nname = 'tank'\nfacing = 'two-point'\nfacing_length_m = 6.0\n\
                ground = 'always'\nfootprint_length_m = 6.0\norigin_height_m = 0.5\n\
                [[kind.joint]]\nname = 'gun'\nrange_deg = [-10.0, 30.0]\n\
                [[kind.joint]]\nname = 'wheel'\nsource = 'wheel'\nhub_m = [1.0, 1.0, 0.0]\n\
                [[kind.class]]\nradius_m = 50.0\n\
                [[kind.class]]\nmodel = 'damped'\ndelay_ms = 200\nclamp = 'seldom'\n\
                [[property]]\nname = 'ammo'\nvalue = 'u16'\nseen = 'by_owner'\nwriter = 'host'\n";
    let kinds = Settings::from_toml(text).unwrap().kinds().unwrap();
    let tank = kinds.get(kinds.named("tank").unwrap()).unwrap();
    assert_eq!(tank.facing, Facing::TwoPoint { length_m: 6.0 });
    let ground = tank.ground.as_ref().unwrap();
    assert_eq!((ground.mode, ground.origin_height_m), (ClampMode::Always, 0.5));
    let footprint = Footprint::Rectangle { half_length_m: 3.0, half_width_m: 1.0 };
    assert_eq!(ground.footprint, footprint);
    let JointSource::Sent(gun) = &tank.joints[0].source else { panic!("{:?}", tank.joints[0]) };
    assert_eq!(gun.range_rad.map(|(_, max)| max), Some(30.0_f64.to_radians()));
    let wheel = JointSource::Wheel { hub: reckoning::DVec3::new(1.0, 1.0, 0.0), radius_m: 0.4 };
    assert_eq!(tank.joints[1].source, wheel);
    let classes = &tank.zones.as_ref().unwrap().classes;
    assert_eq!((classes[0].show, classes[0].clamp, classes[0].model), (None, None, None));
    assert!(matches!(classes[1].show, Some(reckoning_net::Show::Delayed(_))));
    assert_eq!(classes[1].clamp, Some(ClampDetail::Seldom));
    assert!(matches!(classes[1].model, Some(reckoning::Model::Damped { .. })));
    let ammo = kinds.properties().next().unwrap();
    assert_eq!((ammo.1, ammo.2.value, ammo.2.seen), ("ammo", PropertyType::U16, Seen::ByOwner));
}

#[test]
fn wrong_kinds_are_refused_by_name() {
    let wrong = |line: &str| refusal(&format!("[[kind]]\nname = 'tank'\n{line}"));
    for (line, named) in [
        ("threshold_m = 0.0", "tank"),
        ("threshold_m = -1.0", "tank"),
        ("heartbeat_ms = 0", "heartbeat"),
        ("importance = 0", "importance"),
        ("visibility = 'some'", "listed"),
        ("heartbeat_ms = -5", "u32"),
        ("blend_ms = 0", "blend span"),
        ("model = 'linea'", "linear"),
        ("planner = 'ant'", "pheromone"),
        ("planner = 'ekb'\nplanner_scale = 0.0", "transition_per_m"),
        ("planner = 'learned'\nnetwork = ''", "network"),
        ("threshold_by_place_m = [0.2]", "threshold_by_place_m"),
        ("threshold_by_place_m = [0.8, 0.2]", "threshold_by_place"),
        ("top_speed_mps = -1.0", "tank"),
        ("tolerance_m = -1.0\ntop_speed_mps = 1.0", "tank"),
        ("[[kind.class]]\nradius_m = 9.0\n[[kind.class]]\nradius_m = 3.0", "tank"),
        ("facing = 'two-point'\nfacing_length_m = 0.0", "facing length_m"),
        ("ground = 'always'\nfootprint_width_m = 0.0", "tank"),
        ("[[kind.joint]]\nname = 'gun'\nrange_deg = [1.0]", "range_deg"),
        ("[[kind.joint]]\nsource = 'wheel'", "joint's name"),
        ("[[kind.class]]\nclamp = 'seldom'", "clamp of a zone class"),
        ("[[kind.class]]\nclamp = 'two_points'", "one_point"),
        ("[[property]]\nname = ''", "0 bytes"),
        ("[[property]]\nname = 'a'\nseen = 'by_nobody'", "by_owner"),
        ("[[kind]]\nname = 'tank'", "another name"),
        ("[[kind]]\n", "0 bytes"),
    ] {
        assert!(wrong(line).contains(named), "{line}: {}", wrong(line));
    }
    assert!(refusal("relay_kind = 'tank'").contains("relay_kind"));
    assert!(refusal("[kind]\nname = 'tank'").contains("kind"));
}
