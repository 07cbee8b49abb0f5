use super::*;

fn sent_at(id: u64) -> SimTime {
    SimTime::from_tick(id.cast_signed(), 100)
}

/// Sends `count` datagrams of 100 bytes, ten milliseconds apart, and gives what arrives when.
fn arrivals(spec: &str, count: u64) -> (Vec<(SimTime, u64)>, LinkStats) {
    let mut link = Link::new(spec.parse().unwrap()).unwrap();
    for i in 0..count {
        link.send(sent_at(i), 100, i);
    }
    let arrived = std::iter::from_fn(|| link.poll(SimTime::MAX)).collect();
    (arrived, *link.stats())
}

fn ids(arrived: &[(SimTime, u64)]) -> Vec<u64> {
    arrived.iter().map(|(_, id)| *id).collect()
}

fn on_the_way_s(arrived: &[(SimTime, u64)]) -> Vec<f64> {
    arrived.iter().map(|(at, id)| at.secs_since(sent_at(*id))).collect()
}

#[test]
fn a_perfect_link_delivers_all_at_once_in_order() {
    let (arrived, stats) = arrivals("", 1_000);
    assert_eq!(ids(&arrived), (0..1_000).collect::<Vec<_>>());
    assert!(on_the_way_s(&arrived).iter().all(|s| *s == 0.0));
    assert_eq!((stats.sent, stats.delivered, stats.lost), (1_000, 1_000, 0));
}

#[test]
fn nothing_arrives_before_its_time() {
    let mut link = Link::new("delay=80".parse().unwrap()).unwrap();
    link.send(SimTime::ZERO, 100, "hello");
    assert_eq!(link.next_arrival(), Some(SimTime::from_millis(80)));
    assert_eq!(link.poll(SimTime::from_micros(79_999)), None);
    assert_eq!(link.poll(SimTime::from_millis(90)), Some((SimTime::from_millis(80), "hello")));
    assert_eq!(link.poll(SimTime::MAX), None);
}

#[test]
fn the_same_seed_gives_the_same_arrivals() {
    let spec = "delay=80,jitter=30,loss=0.1,burst=3,dup=0.1,reorder=0.1,rate=9000,seed=";
    let one = arrivals(&format!("{spec}1"), 2_000);
    assert_eq!(one, arrivals(&format!("{spec}1"), 2_000));
    assert_ne!(one, arrivals(&format!("{spec}2"), 2_000));
}

#[test]
fn the_share_lost_is_the_share_asked_for() {
    let (_, stats) = arrivals("loss=0.05,seed=3", 100_000);
    // Five standard errors of a share of 5 %.
    assert!(stats.lost.abs_diff(5_000) < 345, "{} lost", stats.lost);
}

#[test]
fn bursts_have_the_share_and_the_length_asked_for() {
    let (arrived, stats) = arrivals("loss=0.05,burst=4,seed=3", 200_000);
    assert!((Loss::bursts(0.05, 4.0).share() - 0.05).abs() < 1e-12);
    // Runs of four make the count vary more: about 2,500 runs, five standard errors.
    assert!(stats.lost.abs_diff(10_000) < 1_300, "{} lost", stats.lost);
    let bursts = ids(&arrived).windows(2).filter(|pair| pair[1] - pair[0] > 1).count();
    let length = stats.lost as f64 / bursts as f64;
    assert!((length - 4.0).abs() < 0.35, "bursts are {length} long");
}

#[test]
fn outages_have_the_share_and_the_length_asked_for() {
    let (arrived, stats) = arrivals("loss=0.4,outage=200,seed=3", 400_000);
    // 4,000 s with about 8,000 outages, five standard errors.
    assert!(stats.lost.abs_diff(160_000) < 8_000, "{} lost", stats.lost);
    let outages = ids(&arrived).windows(2).filter(|pair| pair[1] - pair[0] > 1).count();
    // Datagrams are 10 ms apart and miss the shortest outages and gaps.
    let length_s = stats.lost as f64 * 0.010 / outages as f64;
    assert!((length_s - 0.208).abs() < 0.012, "outages are {length_s} s long");
}

#[test]
fn one_mischief_does_not_change_the_luck_of_another() {
    let (plain, _) = arrivals("loss=0.2,seed=5", 1_000);
    let (copied, stats) = arrivals("loss=0.2,dup=0.3,jitter=40,seed=5", 1_000);
    let mut seen = ids(&copied);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, ids(&plain));
    assert!(stats.duplicated.abs_diff(240) < 65, "{} copies", stats.duplicated);
}

#[test]
fn normal_jitter_lies_about_the_delay_and_never_below_zero() {
    let (arrived, _) = arrivals("delay=80,jitter=20,seed=1", 20_000);
    let ways = on_the_way_s(&arrived);
    let mean = ways.iter().sum::<f64>() / ways.len() as f64;
    let variance = ways.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / ways.len() as f64;
    assert!((mean - 0.080).abs() < 0.0008, "mean {mean} s");
    assert!((libm::sqrt(variance) - 0.020).abs() < 0.0006, "variance {variance}");

    let (rough, _) = arrivals("delay=1,jitter=50,seed=1", 5_000);
    assert!(on_the_way_s(&rough).iter().all(|s| *s >= 0.0));
}

#[test]
fn pareto_jitter_only_adds_and_sometimes_much() {
    let (arrived, _) = arrivals("delay=50,jitter=10,tail=3,seed=1", 20_000);
    let ways = on_the_way_s(&arrived);
    let mean = ways.iter().sum::<f64>() / ways.len() as f64;
    assert!(ways.iter().all(|s| *s >= 0.050));
    assert!((mean - 0.060).abs() < 0.001, "mean {mean} s");
    assert!(ways.iter().any(|s| *s > 0.150), "no long wait among 20,000");
}

#[test]
fn arrivals_are_in_order_of_time_even_when_datagrams_are_not() {
    let (arrived, _) = arrivals("delay=80,jitter=30,seed=2", 1_000);
    assert!(arrived.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    assert!(ids(&arrived).windows(2).any(|pair| pair[0] > pair[1]), "jitter reordered none");
}

#[test]
fn what_arrives_together_comes_in_the_order_it_was_sent() {
    let mut link = Link::new("delay=20".parse().unwrap()).unwrap();
    for id in [5, 3, 9] {
        link.send(SimTime::ZERO, 100, id);
    }
    let arrived: Vec<i32> =
        std::iter::from_fn(|| link.poll(SimTime::MAX)).map(|(_, id)| id).collect();
    assert_eq!(arrived, [5, 3, 9]);
}

#[test]
fn held_back_datagrams_are_overtaken() {
    let (arrived, stats) = arrivals("delay=50,reorder=0.1,hold=35,seed=2", 10_000);
    assert!(stats.held.abs_diff(1_000) < 150, "{} held", stats.held);
    let late = on_the_way_s(&arrived).iter().filter(|s| **s == 0.085).count();
    assert_eq!(late as u64, stats.held);
    assert!(ids(&arrived).windows(2).any(|pair| pair[0] > pair[1]));
}

#[test]
fn a_bottleneck_passes_what_it_can_and_drops_the_rest() {
    // 10,000 bytes a second are offered to 4,000.
    let (arrived, stats) = arrivals("rate=4000,queue=1000", 1_000);
    let (last, _) = arrived.last().unwrap();
    let rate = arrived.len() as f64 * 100.0 / last.as_secs_f64();
    assert!((rate - 4_000.0).abs() < 1.0, "{rate} bytes/s");
    assert_eq!(stats.overflowed + stats.delivered, 1_000);
    // A full queue of 1,000 bytes is a quarter of a second long.
    let longest = on_the_way_s(&arrived).into_iter().fold(0.0, f64::max);
    assert!((0.22..=0.2501).contains(&longest), "waited {longest} s");
}

#[test]
fn an_idle_bottleneck_takes_any_datagram() {
    let mut link = Link::new("rate=1000,queue=10".parse().unwrap()).unwrap();
    link.send(SimTime::ZERO, 500, 1);
    link.send(SimTime::from_millis(100), 500, 2);
    assert_eq!(link.poll(SimTime::MAX), Some((SimTime::from_millis(500), 1)));
    assert_eq!(link.poll(SimTime::MAX), None);
}
