//! Congestion window of fixed size.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn::congestion::{Controller, ControllerFactory};

/// Sends what there is. A client sends a few kilobytes a second at most, and a window that
/// shrinks at every loss would only make its updates old.
#[derive(Clone, Debug)]
pub(super) struct FixedWindow;

const WINDOW_BYTES: u64 = 1 << 18;

impl ControllerFactory for FixedWindow {
    fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
        Box::new(Self)
    }
}

impl Controller for FixedWindow {
    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}

    fn on_mtu_update(&mut self, _: u16) {}

    fn window(&self) -> u64 {
        WINDOW_BYTES
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        WINDOW_BYTES
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
