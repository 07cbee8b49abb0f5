//! The shell of a mesh: what `reckoning-mesh` asks for, carried over the network. Feature `mesh`.

mod etcd;

pub use etcd::{EtcdConfig, EtcdConfigError, EtcdStore};
