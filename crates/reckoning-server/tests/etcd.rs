//! A mesh's store in a real etcd: who wins, who takes over, and what happens without it.
//!
//! Wants `etcd` in the path or in `target/etcd` (`apt-get download etcd-server` and `dpkg -x` put it there,
//! without starting a service); otherwise the tests say that they skip.
#![cfg(feature = "mesh")]

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use reckoning_mesh::{
    CellId, Envelope, Epoch, Incarnation, Key, MeshConfig, MeshServer, Record, RegionRecord,
    Revision, ServerId, ServerIdentity, StoreReply, StoreRequest, WorldGrid,
};
use reckoning_server::Clock;
use reckoning_server::mesh::{EtcdConfig, EtcdConfigError, EtcdStore};

fn binary() -> Option<PathBuf> {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/etcd/root/usr/bin/etcd");
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let installed = std::env::split_paths(&paths).map(|it| it.join("etcd"));
    std::iter::once(fetched).chain(installed).find(|it| it.is_file())
}

/// An etcd of the test's own, killed with it.
struct Etcd {
    process: Child,
    folder: PathBuf,
    address: SocketAddr,
}

impl Etcd {
    fn start(test: &str) -> Option<Self> {
        let Some(binary) = binary() else {
            reckoning_testing::skip(test, "no etcd in the path nor in target/etcd");
            return None;
        };
        let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (address, peer) = (free(), free());
        let folder = std::env::temp_dir().join(format!("reckoning-{test}-{}", std::process::id()));
        let process = Command::new(binary)
            .arg("--data-dir")
            .arg(&folder)
            .args(["--listen-client-urls", &format!("http://{address}")])
            .args(["--advertise-client-urls", &format!("http://{address}")])
            .args(["--listen-peer-urls", &format!("http://{peer}")])
            .args(["--initial-advertise-peer-urls", &format!("http://{peer}")])
            .args(["--initial-cluster", &format!("default=http://{peer}")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Some(Self { process, folder, address })
    }

    fn store(&self) -> EtcdStore {
        let config = EtcdConfig::new(vec![self.address.to_string()], "/reckoning/test/");
        EtcdStore::new(config).unwrap()
    }

    /// A store that answers.
    async fn ready(&self) -> EtcdStore {
        let mut store = self.store();
        for _ in 0..600 {
            if store.ask(StoreRequest::List).await != StoreReply::Unavailable {
                return store;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("etcd does not answer within 30 s");
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

fn region(owner: u16, x: u32, expected: u64) -> StoreRequest {
    let owner = Incarnation::new(ServerId(owner), Epoch(1));
    let record = Record::Region(RegionRecord::whole(CellId::region(x, 0), owner));
    StoreRequest::Swap { key: Key::Region { x, y: 0 }, expected: Revision(expected), record }
}

#[test]
fn of_eight_that_race_for_a_cell_one_wins_and_the_others_learn_who() {
    let Some(etcd) = Etcd::start("etcd-race") else { return };
    run(async {
        drop(etcd.ready().await);
        for round in 0..20 {
            let racers: Vec<_> = (0..8)
                .map(|server| {
                    let mut store = etcd.store();
                    tokio::spawn(async move { store.ask(region(server, round, 0)).await })
                })
                .collect();
            let mut won = Vec::new();
            let mut told = Vec::new();
            for (server, racer) in racers.into_iter().enumerate() {
                match racer.await.unwrap() {
                    StoreReply::Swapped { revision } => won.push((server, revision)),
                    StoreReply::Conflict { current } => told.push(current.unwrap()),
                    // A busy machine is late; whether it was applied, the others tell.
                    StoreReply::Unavailable | StoreReply::Listed(_) => {}
                }
            }
            assert!(won.len() <= 1, "round {round}: {won:?}");
            assert!(told.windows(2).all(|it| it[0] == it[1]), "round {round}: {told:?}");
            for entry in told {
                let Record::Region(record) = entry.record else { panic!("a region") };
                let owner = usize::from(record.leaves[0].owner.server.0);
                assert!(won.iter().all(|it| *it == (owner, entry.revision)), "round {round}");
            }
        }
    });
}

#[test]
fn a_list_has_what_was_written_and_nothing_of_others() {
    let Some(etcd) = Etcd::start("etcd-list") else { return };
    run(async {
        let mut store = etcd.ready().await;
        let StoreReply::Swapped { revision } = store.ask(region(1, 5, 0)).await else {
            panic!("nobody else writes");
        };
        let other = EtcdConfig::new(vec![etcd.address.to_string()], "/reckoning/test2/");
        let mut other = EtcdStore::new(other).unwrap();
        assert!(matches!(other.ask(region(2, 6, 0)).await, StoreReply::Swapped { .. }));

        let StoreReply::Listed(entries) = store.ask(StoreRequest::List).await else {
            panic!("etcd answers");
        };
        assert_eq!(entries.len(), 1, "{entries:?}");
        assert_eq!((entries[0].key, entries[0].revision), (Key::Region { x: 5, y: 0 }, revision));
        let stale = store.ask(region(2, 5, revision.0 - 1)).await;
        assert_eq!(stale, StoreReply::Conflict { current: Some(entries[0].clone()) });
    });
}

#[test]
fn without_etcd_the_store_is_unavailable_and_bad_settings_are_named() {
    run(async {
        let nobody = EtcdConfig::new(vec!["127.0.0.1:9".into()], "/x/");
        let mut store = EtcdStore::new(nobody).unwrap();
        assert_eq!(store.ask(StoreRequest::List).await, StoreReply::Unavailable);
        assert_eq!(store.failures(), 1);
    });
    let refused = |endpoints, prefix| EtcdStore::new(EtcdConfig::new(endpoints, prefix)).err();
    assert_eq!(refused(vec![], "/x/"), Some(EtcdConfigError::NoEndpoint));
    let got = "/x".to_string();
    assert_eq!(refused(vec!["a:1".into()], "/x"), Some(EtcdConfigError::Prefix { got }));
}

/// A server of the mesh by the clock, and its store.
struct Node {
    mesh: MeshServer,
    store: EtcdStore,
}

impl Node {
    fn new(etcd: &Etcd, number: u16) -> Self {
        let grid = WorldGrid::new([0.0; 2], 100.0, [3, 3]).unwrap();
        let address = format!("127.0.0.1:{number}");
        let identity = ServerIdentity { server: ServerId(number), address, nonce: number.into() };
        let mesh = MeshServer::new(MeshConfig::default(), grid, identity).unwrap();
        Self { mesh, store: etcd.store() }
    }

    async fn step(&mut self, clock: &Clock) -> Vec<Envelope> {
        self.mesh.handle_timeout(clock.now());
        if let Some((id, request)) = self.mesh.poll_store_request(clock.now()) {
            let reply = self.store.ask(request).await;
            self.mesh.handle_store_reply(clock.now(), id, reply);
        }
        std::iter::from_fn(|| self.mesh.poll_message(clock.now())).collect()
    }

    fn cells(&self, clock: &Clock) -> usize {
        let cells: Vec<_> = self.mesh.cells().map(|it| it.cell).collect();
        cells.into_iter().filter(|it| self.mesh.owns_cell(clock.now(), *it)).count()
    }
}

/// Runs the nodes for so long, or until the first of them owns that many cells; whether it does.
async fn run_until(nodes: &mut [Node], clock: &Clock, span: Duration, cells: usize) -> bool {
    let end = clock.now() + span;
    while clock.now() < end {
        for at in 0..nodes.len() {
            for envelope in nodes[at].step(clock).await {
                let to = nodes.iter_mut().find(|it| it.mesh.life() == Some(envelope.to));
                if let Some(node) = to {
                    node.mesh.handle_message(clock.now(), envelope);
                }
            }
        }
        if nodes[0].cells(clock) == cells {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    false
}

#[test]
fn the_cells_of_a_server_that_dies_are_served_by_the_other() {
    let Some(etcd) = Etcd::start("etcd-takeover") else { return };
    run(async {
        drop(etcd.ready().await);
        let clock = Clock::start();
        let mut nodes = vec![Node::new(&etcd, 1)];
        assert!(run_until(&mut nodes, &clock, Duration::from_secs(10), 9).await, "alone: all nine");
        nodes.push(Node::new(&etcd, 2));
        let mut shared = false;
        for cells in (1..9).rev() {
            shared |= run_until(&mut nodes, &clock, Duration::from_millis(700), cells).await;
        }
        assert!(shared && nodes[1].cells(&clock) > 0, "the newcomer got none");

        nodes[0].mesh.spawn(clock.now(), [50.0, 50.0], [1].into());
        nodes.truncate(1); // as kill -9: it says nothing more
        let died = clock.now();
        let taken = run_until(&mut nodes, &clock, Duration::from_secs(20), 9).await;
        let took = clock.now().saturating_since(died);
        println!("all nine cells again after {took:?}");
        assert!(taken, "not within 20 s");
        assert!(took > Duration::from_secs(2), "{took:?}: before the lease had ended");
    });
}
