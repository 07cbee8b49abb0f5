//! The time of another machine, from timestamped exchanges.

use reckoning::ClockSync;
use reckoning::clock::{ClockConfig, Exchange};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::*;

use crate::motion::moment;
use crate::refused;

/// The estimate of another machine's clock. All moments are microseconds.
#[wasm_bindgen]
pub struct Clock {
    sync: ClockSync,
}

#[wasm_bindgen]
impl Clock {
    /// By the defaults: a game over the Internet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Clock, JsError> {
        Ok(Self { sync: ClockSync::new(ClockConfig::default()).map_err(refused)? })
    }

    /// Takes a question and its answer: when it left and came back by our clock, and when it came in and
    /// was answered by the other.
    pub fn exchange(
        &mut self,
        #[wasm_bindgen(js_name = sentUs)] sent_us: f64,
        #[wasm_bindgen(js_name = receivedUs)] received_us: f64,
        #[wasm_bindgen(js_name = answeredUs)] answered_us: f64,
        #[wasm_bindgen(js_name = returnedUs)] returned_us: f64,
    ) -> Result<(), JsError> {
        self.sync.handle_exchange(&Exchange {
            sent: moment(sent_us)?,
            received: moment(received_us)?,
            answered: moment(answered_us)?,
            returned: moment(returned_us)?,
        });
        Ok(())
    }

    /// The time of the other clock when ours shows this; unknown until an exchange was used.
    #[wasm_bindgen(js_name = remoteAt)]
    pub fn remote_at(
        &self,
        #[wasm_bindgen(js_name = localUs)] local_us: f64,
    ) -> Result<Option<f64>, JsError> {
        Ok(self.sync.remote_at(moment(local_us)?).map(|it| it.as_micros() as f64))
    }

    /// When to ask again, if the last question left then.
    #[wasm_bindgen(js_name = nextExchange)]
    pub fn next_exchange(
        &self,
        #[wasm_bindgen(js_name = lastSentUs)] last_sent_us: f64,
    ) -> Result<f64, JsError> {
        Ok(self.sync.next_exchange(Some(moment(last_sent_us)?)).as_micros() as f64)
    }
}
