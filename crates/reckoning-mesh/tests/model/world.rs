//! Five servers with a store and links between them, in virtual time, and what must hold of them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reckoning::SimTime;
use reckoning::random::SplitMix64;
use reckoning_mesh::{
    BodyEvent, BodyId, CellId, Envelope, MeshConfig, MeshEvent, MeshServer, Origin, RequestId,
    Safeguards, ServerId, ServerIdentity, StoreReply, StoreRequest, Version, WorldGrid,
};
use reckoning_netsim::{Link, LinkConfig};

use super::store::Store;

pub const SERVERS: usize = 5;
const STEP: Duration = Duration::from_millis(20);
/// Bodies move, and their owners observe them, this often.
const MOVE_EVERY: i64 = 10;
/// A lease that was about to end is renewed, or lost, by so long after its server has the store again; until
/// then another crash would be a second one.
const RENEWED_WITHIN: Duration = Duration::from_millis(400);
const SIDE_M: f64 = 400.0;
/// A message of about this size; links here have no bottleneck.
const BYTES: u32 = 100;

/// One machine of the model.
struct Machine {
    mesh: Option<MeshServer>,
    paused_until: SimTime,
    restarts_at: Option<SimTime>,
    store_cut_until: SimTime,
    /// By how much its clock is ahead, and how much faster it runs.
    clock_ahead_us: i64,
    clock_ppm: i64,
    to_store: Link<(RequestId, StoreRequest)>,
    from_store: Link<(RequestId, StoreReply)>,
    wants_to_leave: bool,
}

impl Machine {
    fn clock(&self, now: SimTime) -> SimTime {
        let us = now.as_micros();
        SimTime::from_micros(us + us * self.clock_ppm / 1_000_000 + self.clock_ahead_us)
    }

    fn runs(&self, now: SimTime) -> bool {
        self.mesh.is_some() && now >= self.paused_until
    }
}

/// What the model knows of a body.
#[derive(Debug)]
struct Truth {
    version: Version,
    owned_at: SimTime,
    /// Whether a second server has had a copy: from then on no single crash loses it.
    is_sheltered: bool,
    is_retired: bool,
}

pub struct World {
    pub now: SimTime,
    config: MeshConfig,
    safeguards: Safeguards,
    machines: Vec<Machine>,
    links: Vec<Link<Envelope>>,
    cut_until: BTreeMap<(usize, usize), SimTime>,
    store: Store,
    store_down_until: SimTime,
    truths: BTreeMap<BodyId, Truth>,
    random: SplitMix64,
    nonces: u64,
    steps: i64,
    /// Since when nothing was broken that bodies may have to wait for.
    calm_since: SimTime,
    pub handovers: u64,
    pub revived: u64,
    pub fenced: u64,
    pub crashes: u64,
    pub longest_gap: Duration,
    /// The longest motion that a revived body lost.
    pub longest_rewind: Duration,
}

impl World {
    pub fn new(seed: u64, loss_percent: u8, safeguards: Safeguards) -> Self {
        let mut config = MeshConfig::default();
        config.ttl = Duration::from_secs(1);
        config.renew_every = Duration::from_millis(250);
        config.poll_every = Duration::from_millis(60);
        config.store_timeout = Duration::from_millis(200);
        config.offer_timeout = Duration::from_millis(400);
        config.ghost_range_m = 20.0;
        (config.split_above, config.merge_below, config.max_depth) = (20, 8, 2);
        let random = SplitMix64::new(seed);
        let mut world = Self {
            now: SimTime::from_millis(1_000),
            config,
            safeguards,
            machines: Vec::new(),
            links: (0..SERVERS * SERVERS)
                .map(|it| {
                    let loss = f64::from(loss_percent) / 100.0;
                    let spec = format!(
                        "delay=1,jitter=3,loss={loss},dup=0.05,reorder=0.05,seed={}",
                        seed * 100 + it as u64
                    );
                    Link::new(spec.parse().unwrap()).unwrap()
                })
                .collect(),
            cut_until: BTreeMap::new(),
            store: Store::default(),
            store_down_until: SimTime::ZERO,
            truths: BTreeMap::new(),
            random,
            nonces: 0,
            steps: 0,
            calm_since: SimTime::ZERO,
            handovers: 0,
            revived: 0,
            fenced: 0,
            crashes: 0,
            longest_gap: Duration::ZERO,
            longest_rewind: Duration::ZERO,
        };
        for server in 0..SERVERS {
            let machine = world.machine(server);
            world.machines.push(machine);
        }
        world
    }

    fn machine(&mut self, server: usize) -> Machine {
        let link = LinkConfig { seed: self.random.next_u64(), ..LinkConfig::default() };
        let link = LinkConfig { delay: Duration::from_millis(2), ..link };
        Machine {
            mesh: Some(self.mesh(server)),
            paused_until: SimTime::ZERO,
            restarts_at: None,
            store_cut_until: SimTime::ZERO,
            clock_ahead_us: self.random.between(-1e9, 1e9) as i64,
            clock_ppm: self.random.between(-5_000.0, 5_000.0) as i64,
            to_store: Link::new(link).unwrap(),
            from_store: Link::new(link).unwrap(),
            wants_to_leave: false,
        }
    }

    fn mesh(&mut self, server: usize) -> MeshServer {
        let grid = WorldGrid::new([0.0; 2], SIDE_M / 4.0, [4, 4]).unwrap();
        self.nonces += 1;
        let identity = ServerIdentity {
            server: ServerId(server as u16),
            address: format!("10.0.0.{server}:1"),
            nonce: self.nonces,
        };
        let mut mesh = MeshServer::new(self.config, grid, identity).unwrap();
        mesh.set_safeguards(self.safeguards);
        mesh
    }

    pub fn run(&mut self, span: Duration) -> Result<(), String> {
        let end = self.now + span;
        while self.now < end {
            self.step()?;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), String> {
        self.now += STEP;
        self.steps += 1;
        self.restart();
        self.serve_store();
        for server in 0..SERVERS {
            if self.machines[server].runs(self.now) {
                self.run_machine(server)?;
            }
        }
        self.judge_cells()?;
        self.judge_bodies()?;
        match self.store.violation.take() {
            Some(why) => Err(why),
            None => Ok(()),
        }
    }

    fn restart(&mut self) {
        for server in 0..SERVERS {
            if self.machines[server].restarts_at.is_some_and(|it| self.now >= it) {
                self.machines[server].restarts_at = None;
                self.machines[server].wants_to_leave = false;
                self.machines[server].mesh = Some(self.mesh(server));
            }
        }
    }

    fn serve_store(&mut self) {
        let is_down = self.now < self.store_down_until;
        for machine in &mut self.machines {
            let is_cut = is_down || self.now < machine.store_cut_until;
            while let Some((_, (id, request))) = machine.to_store.poll(self.now) {
                if !is_cut {
                    let reply = self.store.answer(request);
                    machine.from_store.send(self.now, BYTES, (id, reply));
                }
            }
        }
    }

    fn run_machine(&mut self, server: usize) -> Result<(), String> {
        let now = self.now;
        let machine = &mut self.machines[server];
        let local = machine.clock(now);
        let mesh = machine.mesh.as_mut().expect("it runs");
        while let Some((_, (id, reply))) = machine.from_store.poll(now) {
            mesh.handle_store_reply(local, id, reply);
        }
        for from in 0..SERVERS {
            while let Some((_, envelope)) = self.links[from * SERVERS + server].poll(now) {
                judge_stale(mesh, &envelope, local, self.safeguards)?;
            }
        }
        mesh.handle_timeout(local);
        if usize::try_from(self.steps % MOVE_EVERY) == Ok(server) {
            self.move_bodies(server);
        }
        let machine = &mut self.machines[server];
        let mesh = machine.mesh.as_mut().expect("it runs");
        while let Some((id, request)) = mesh.poll_store_request(local) {
            machine.to_store.send(now, BYTES, (id, request));
        }
        while let Some(envelope) = mesh.poll_message(local) {
            let to = usize::from(envelope.to.server.0);
            let pair = (server.min(to), server.max(to));
            if self.cut_until.get(&pair).is_none_or(|until| now >= *until) {
                self.links[server * SERVERS + to].send(now, BYTES, envelope);
            }
        }
        self.drain_events(server, local);
        Ok(())
    }

    fn drain_events(&mut self, server: usize, local: SimTime) {
        let machine = &mut self.machines[server];
        let Some(mesh) = &mut machine.mesh else { return };
        let mut arrived = Vec::new();
        while let Some(event) = mesh.poll_event(local) {
            match event {
                MeshEvent::Body(BodyEvent::Owned { body, state, from, .. }) => {
                    arrived.push((body, state, from));
                }
                MeshEvent::Fenced { .. } => self.fenced += 1,
                MeshEvent::Left => machine.restarts_at = Some(self.now + Duration::from_secs(1)),
                _ => {}
            }
        }
        for (body, state, from) in arrived {
            let motion = Motion::from_bytes(&state.payload);
            mesh.observe_body(local, body, motion.at, state.payload);
            match from {
                Origin::Revived(_) => {
                    self.revived += 1;
                    let observed = self.truths.get(&body).map_or(self.now, |it| it.owned_at);
                    let lost = observed.saturating_since(motion.moved_at);
                    self.longest_rewind = self.longest_rewind.max(lost);
                }
                _ => self.handovers += 1,
            }
        }
    }

    fn move_bodies(&mut self, server: usize) {
        let machine = &mut self.machines[server];
        let local = machine.clock(self.now);
        let mesh = machine.mesh.as_mut().expect("it runs");
        for body in mesh.bodies(local).collect::<Vec<_>>() {
            let Some(payload) = mesh.payload(body) else { continue };
            let motion = Motion::from_bytes(payload).moved(self.now);
            mesh.observe_body(local, body, motion.at, motion.to_bytes().into());
        }
    }

    fn owns(&self, server: usize, body: BodyId) -> bool {
        let machine = &self.machines[server];
        let mesh = machine.mesh.as_ref();
        mesh.is_some_and(|it| it.body_version(machine.clock(self.now), body).is_some())
    }

    fn judge_bodies(&mut self) -> Result<(), String> {
        let mut owners: BTreeMap<BodyId, usize> = BTreeMap::new();
        for (server, machine) in self.machines.iter().enumerate() {
            let Some(mesh) = &machine.mesh else { continue };
            let local = machine.clock(self.now);
            for body in mesh.bodies(local) {
                if let Some(other) = owners.insert(body, server) {
                    return Err(format!("two owners: {other} and {server} have {body}"));
                }
                let version = mesh.body_version(local, body).expect("it is owned");
                let Some(truth) = self.truths.get_mut(&body) else { continue };
                if version < truth.version {
                    return Err(format!("version of {body} fell to {version}: {truth:?}"));
                }
                let table = mesh.body_table().expect("it has bodies");
                truth.is_sheltered |= table.holder(body).is_some() && table.is_safe(body);
                let gap = self.now.saturating_since(truth.owned_at);
                if machine.runs(self.now) {
                    self.longest_gap = self.longest_gap.max(gap);
                    truth.owned_at = self.now;
                }
                truth.version = version;
            }
        }
        let limit = self.config.ttl + Duration::from_millis(500);
        for (body, it) in &self.truths {
            let waits = self.now.saturating_since(it.owned_at.max(self.calm_since));
            if it.is_sheltered && !it.is_retired && waits > limit {
                return Err(format!("nobody has had {body} for {waits:?}: {it:?}"));
            }
        }
        Ok(())
    }

    fn judge_cells(&self) -> Result<(), String> {
        let mut cells: Vec<(CellId, usize)> = Vec::new();
        for (server, machine) in self.machines.iter().enumerate() {
            let Some(mesh) = &machine.mesh else { continue };
            let local = machine.clock(self.now);
            let ours = mesh.cells().map(|it| it.cell).filter(|it| mesh.owns_cell(local, *it));
            cells.extend(ours.map(|it| (it, server)));
        }
        cells.sort_by_key(|it| (it.0.region_of(), it.1));
        for group in cells.chunk_by(|a, b| a.0.region_of() == b.0.region_of()) {
            for (i, (cell, owner)) in group.iter().enumerate() {
                let clash = group[i + 1..].iter().find(|(other, by)| {
                    by != owner && (cell.contains(*other) || other.contains(*cell))
                });
                if let Some((other, by)) = clash {
                    return Err(format!("two owners: {owner} has {cell} and {by} has {other}"));
                }
            }
        }
        Ok(())
    }

    /// Whether another crash would be the only one that is not yet healed.
    fn is_whole(&self) -> bool {
        let all_live = self.machines.iter().all(|it| {
            let local = it.clock(self.now);
            let is_cut = self.now < it.store_cut_until.max(it.paused_until) + RENEWED_WITHIN;
            !is_cut
                && it.runs(self.now)
                && it.mesh.as_ref().is_some_and(|mesh| mesh.is_unfenced(local))
        });
        let safe = self.machines.iter().filter_map(|it| it.mesh.as_ref()?.body_table()).all(|it| {
            it.recovery().is_none()
                && it.owned().all(|body| it.is_safe(body) && it.holder(body).is_some())
        });
        all_live && safe && self.now >= self.store_down_until + RENEWED_WITHIN
    }

    /// Waits until it is, if it comes to be.
    fn becomes_whole(&mut self) -> Result<bool, String> {
        for _ in 0..100 {
            if self.is_whole() {
                return Ok(true);
            }
            self.step()?;
        }
        Ok(false)
    }

    pub fn crash(&mut self, server: usize, away: Duration) -> Result<(), String> {
        if self.becomes_whole()? {
            self.machines[server].mesh = None;
            self.machines[server].restarts_at = Some(self.now + away);
            self.disturbed_until(self.now);
            self.crashes += 1;
        }
        Ok(())
    }

    pub fn pause(&mut self, server: usize, span: Duration) -> Result<(), String> {
        if self.becomes_whole()? {
            self.machines[server].paused_until = self.now + span;
            // Longer than its lease, it is dead from the start of the pause; shorter, it comes back.
            let back = if span < self.config.ttl * 2 { self.now + span } else { self.now };
            self.disturbed_until(back);
        }
        Ok(())
    }

    pub fn cut_from_store(&mut self, server: usize, span: Duration) -> Result<(), String> {
        if self.becomes_whole()? {
            self.machines[server].store_cut_until = self.now + span;
            self.disturbed_until(self.now + span);
        }
        Ok(())
    }

    pub fn stop_store(&mut self, span: Duration) {
        self.store_down_until = self.now + span;
        // Leases that ended meanwhile are renewed at once; nobody is fenced for another TTL.
        self.disturbed_until(self.now + span + self.config.ttl);
    }

    pub fn cut(&mut self, one: usize, other: usize, span: Duration) {
        let pair = (one.min(other), one.max(other));
        self.cut_until.insert(pair, self.now + span);
        self.disturbed_until(self.now + span);
    }

    pub fn drain(&mut self, server: usize) {
        let machine = &mut self.machines[server];
        let local = machine.clock(self.now);
        let others = self.truths.len(); // as good a number as any to keep one of five
        if let Some(mesh) = &mut machine.mesh
            && others > 0
        {
            machine.wants_to_leave = true;
            mesh.drain(local);
        }
    }

    fn disturbed_until(&mut self, at: SimTime) {
        self.calm_since = self.calm_since.max(at);
    }

    pub fn spawn(&mut self, near: u16) {
        let at = [self.random.between(0.0, SIDE_M), self.random.between(0.0, SIDE_M)];
        let mps = [self.random.between(-40.0, 40.0), self.random.between(-40.0, 40.0)];
        self.spawn_at(near, at, mps);
    }

    pub fn spawn_at(&mut self, near: u16, at: [f64; 2], mps: [f64; 2]) {
        let Some(server) = (0..SERVERS).map(|it| (it + usize::from(near)) % SERVERS).find(|it| {
            let machine = &self.machines[*it];
            machine.runs(self.now) && !machine.wants_to_leave
        }) else {
            return;
        };
        let motion = Motion { at, mps, moved_at: self.now };
        let machine = &mut self.machines[server];
        let local = machine.clock(self.now);
        let mesh = machine.mesh.as_mut().expect("it runs");
        if let Some(body) = mesh.spawn(local, motion.at, motion.to_bytes().into()) {
            let truth = Truth {
                version: Version::default(),
                owned_at: self.now,
                is_sheltered: false,
                is_retired: false,
            };
            let twice = self.truths.insert(body, truth).is_some();
            assert!(!twice, "{body} was born twice");
        }
    }

    pub fn retire(&mut self, which: u16) {
        let here = self.truths.iter().filter(|it| !it.1.is_retired);
        let bodies: Vec<_> = here.map(|it| *it.0).collect();
        let Some(body) = bodies.get(usize::from(which) % bodies.len().max(1)).copied() else {
            return;
        };
        let owner = (0..SERVERS).find(|it| self.owns(*it, body));
        if let Some(server) = owner.filter(|it| self.machines[*it].runs(self.now)) {
            let machine = &mut self.machines[server];
            let local = machine.clock(self.now);
            machine.mesh.as_mut().expect("it runs").retire(local, body);
            self.truths.get_mut(&body).expect("it is known").is_retired = true;
        }
    }

    /// All is well again for long enough: everything has one owner, and nothing is left over.
    pub fn settle(&mut self) -> Result<(), String> {
        for machine in &mut self.machines {
            machine.paused_until = SimTime::ZERO;
            machine.store_cut_until = SimTime::ZERO;
        }
        self.cut_until.clear();
        self.store_down_until = SimTime::ZERO;
        self.calm_since = self.now + self.config.ttl;
        self.run(Duration::from_secs(6))?;
        let fresh: BTreeSet<BodyId> =
            self.truths.iter().filter(|it| !it.1.is_sheltered).map(|it| *it.0).collect();
        for (body, truth) in &self.truths {
            // One that is just handed over has none for a moment.
            let waits = self.now.saturating_since(truth.owned_at);
            if waits > Duration::from_millis(300) && !truth.is_retired && !fresh.contains(body) {
                return Err(format!("lost: {body} {truth:?}"));
            }
        }
        // One that is just given away has none for a moment.
        for _ in 0..25 {
            if self.unowned_cell().is_none() {
                return Ok(());
            }
            self.step()?;
        }
        self.unowned_cell().map_or(Ok(()), Err)
    }

    fn unowned_cell(&self) -> Option<String> {
        let mut leaves = self.store.regions().flat_map(|it| &it.leaves);
        let unowned = leaves.find(|leaf| {
            !self.machines.iter().any(|it| {
                let local = it.clock(self.now);
                it.mesh.as_ref().is_some_and(|mesh| mesh.owns_cell(local, leaf.cell))
            })
        });
        unowned.map(|leaf| format!("cell {} has no owner: {leaf:?}", leaf.cell))
    }

    /// Cells moved, split and merged by all servers there are.
    pub fn reshaped(&self) -> [u64; 3] {
        let stats = self.machines.iter().filter_map(|it| Some(it.mesh.as_ref()?.stats()));
        stats.fold([0; 3], |sum, it| {
            [sum[0] + it.cells_moved, sum[1] + it.splits, sum[2] + it.merges]
        })
    }

    pub fn owned_by(&self) -> [usize; SERVERS] {
        let count = |machine: &Machine| {
            machine.mesh.as_ref().map_or(0, |it| it.bodies(machine.clock(self.now)).count())
        };
        std::array::from_fn(|it| count(&self.machines[it]))
    }

    pub fn bodies(&self) -> usize {
        self.truths.len()
    }
}

/// Delivers, and looks that what a fenced life of a server says changes nothing.
fn judge_stale(
    mesh: &mut MeshServer,
    envelope: &Envelope,
    local: SimTime,
    safeguards: Safeguards,
) -> Result<(), String> {
    let floor = mesh.body_table().map(|it| it.floor(envelope.from.server));
    let is_stale = floor.is_some_and(|it| envelope.from.epoch < it) && safeguards.epochs;
    let count = |it: &MeshServer| it.body_table().map(|it| it.owned().count());
    let before = count(mesh);
    mesh.handle_message(local, envelope.clone());
    if is_stale && count(mesh) != before {
        return Err(format!("stale, and accepted: {envelope:?}"));
    }
    Ok(())
}

/// How a body of the model moves: straight on, and back from the walls.
struct Motion {
    at: [f64; 2],
    mps: [f64; 2],
    moved_at: SimTime,
}

impl Motion {
    fn moved(mut self, now: SimTime) -> Self {
        let secs = now.secs_since(self.moved_at).clamp(0.0, 1.0);
        for axis in 0..2 {
            self.at[axis] += self.mps[axis] * secs;
            if !(0.0..SIDE_M).contains(&self.at[axis]) {
                self.at[axis] = self.at[axis].clamp(0.0, SIDE_M);
                self.mps[axis] = -self.mps[axis];
            }
        }
        self.moved_at = now;
        self
    }

    fn to_bytes(&self) -> Vec<u8> {
        let numbers = [self.at[0], self.at[1], self.mps[0], self.mps[1]];
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
        bytes.extend(self.moved_at.as_micros().to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let number = |i: usize| -> [u8; 8] { bytes[i * 8..i * 8 + 8].try_into().unwrap() };
        let float = |i: usize| f64::from_le_bytes(number(i));
        Self {
            at: [float(0), float(1)],
            mps: [float(2), float(3)],
            moved_at: SimTime::from_micros(i64::from_le_bytes(number(4))),
        }
    }
}
