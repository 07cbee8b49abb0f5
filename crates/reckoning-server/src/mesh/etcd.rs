//! etcd as the store of a mesh, by its JSON gateway over HTTP.
//!
//! One request at a time, as the mesh asks; a connection is kept while it works, and the next endpoint is
//! tried when it does not. Whatever goes wrong is [`StoreReply::Unavailable`]: the write may have been
//! applied, and the mesh reads how things stand. Why not the crate `etcd-client`:
//! `docs/decisions/0048-etcd-by-its-json-gateway.md`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use reckoning_mesh::{Entry, Key, Record, Revision, StoreReply, StoreRequest};
use rustls::pki_types::ServerName;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// An answer with more bytes is none of ours: a thousand regions of sixty-four cells each.
const MAX_ANSWER_BYTES: usize = 16 << 20;

/// Where etcd is, and what of it is ours.
#[derive(Clone)]
#[non_exhaustive]
pub struct EtcdConfig {
    /// Its client addresses, such as `10.0.0.1:2379`. One that fails is left for the next.
    pub endpoints: Vec<String>,
    /// What all keys begin with, such as `/reckoning/arena/`. Must end with a slash.
    pub prefix: String,
    /// Name and password of a user who is limited to the prefix; `None` where etcd asks for none.
    pub user: Option<(String, String)>,
    /// For TLS, with the mesh's CA as its root and, where etcd wants one, a certificate; `None` in the clear.
    pub tls: Option<Arc<rustls::ClientConfig>>,
    /// After how long a request is given up. Below the mesh's `store_timeout`. Default: 250 ms.
    pub request_timeout: Duration,
}

impl EtcdConfig {
    /// Etcd at these addresses in the clear and without a user: for trying.
    #[must_use]
    pub fn new(endpoints: Vec<String>, prefix: impl Into<String>) -> Self {
        let request_timeout = Duration::from_millis(250);
        Self { endpoints, prefix: prefix.into(), user: None, tls: None, request_timeout }
    }
}

/// Without the password.
impl fmt::Debug for EtcdConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = self.user.as_ref().map(|it| &it.0);
        let mut debug = f.debug_struct("EtcdConfig");
        debug.field("endpoints", &self.endpoints).field("prefix", &self.prefix);
        debug.field("user", &user).field("tls", &self.tls.is_some()).finish_non_exhaustive()
    }
}

/// Why settings were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EtcdConfigError {
    /// There is no address.
    NoEndpoint,
    /// A prefix must end with a slash, or it is also that of others.
    Prefix {
        /// The prefix given.
        got: String,
    },
}

impl fmt::Display for EtcdConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEndpoint => f.write_str("no address of etcd; give one such as 127.0.0.1:2379"),
            Self::Prefix { got } => {
                write!(
                    f,
                    "prefix {got:?} does not end with a slash; give such as /reckoning/arena/"
                )
            }
        }
    }
}

impl std::error::Error for EtcdConfigError {}

/// Why a request came to nothing; counted and retried, never shown to players.
#[derive(Debug)]
enum Failure {
    Late,
    Broken,
    Status(StatusCode),
    NotEtcd,
}

/// A connection to etcd that is made anew whenever it breaks.
#[derive(Debug)]
pub struct EtcdStore {
    config: EtcdConfig,
    endpoint: usize,
    connection: Option<SendRequest<Full<Bytes>>>,
    token: Option<String>,
    failures: u64,
}

impl EtcdStore {
    /// A store that has not connected yet.
    ///
    /// # Errors
    /// When there is no address, or the prefix ends without a slash.
    pub fn new(config: EtcdConfig) -> Result<Self, EtcdConfigError> {
        if config.endpoints.is_empty() {
            return Err(EtcdConfigError::NoEndpoint);
        }
        if !config.prefix.ends_with('/') {
            return Err(EtcdConfigError::Prefix { got: config.prefix });
        }
        Ok(Self { config, endpoint: 0, connection: None, token: None, failures: 0 })
    }

    /// Requests that came to nothing.
    #[must_use]
    pub const fn failures(&self) -> u64 {
        self.failures
    }

    /// Asks, and waits for the answer, but not for longer than the timeout.
    pub async fn ask(&mut self, request: StoreRequest) -> StoreReply {
        let limit = self.config.request_timeout;
        let asked = timeout(limit, self.try_ask(request)).await.unwrap_or(Err(Failure::Late));
        asked.unwrap_or_else(|failure| {
            tracing::debug!(endpoint = self.endpoint(), ?failure, "etcd did not answer");
            self.failures += 1;
            self.connection = None;
            match failure {
                // A token that ended is answered so; the address is a good one.
                Failure::Status(StatusCode::UNAUTHORIZED) => self.token = None,
                _ => self.endpoint = (self.endpoint + 1) % self.config.endpoints.len(),
            }
            StoreReply::Unavailable
        })
    }

    fn endpoint(&self) -> &str {
        &self.config.endpoints[self.endpoint]
    }

    async fn try_ask(&mut self, request: StoreRequest) -> Result<StoreReply, Failure> {
        self.authenticate().await?;
        match request {
            StoreRequest::List => {
                let answer = self.post("/v3/kv/range", &self.range_of_prefix()).await?;
                Ok(StoreReply::Listed(self.entries(&answer["kvs"])))
            }
            StoreRequest::Swap { key, expected, record } => {
                let answer = self.post("/v3/kv/txn", &self.swap(key, expected, &record)).await?;
                self.swapped(&answer)
            }
        }
    }

    async fn authenticate(&mut self) -> Result<(), Failure> {
        let Some((name, password)) = self.config.user.clone().filter(|_| self.token.is_none())
        else {
            return Ok(());
        };
        let asked = json!({ "name": name, "password": password });
        let answer = self.post("/v3/auth/authenticate", &asked).await?;
        self.token = Some(answer["token"].as_str().ok_or(Failure::NotEtcd)?.to_string());
        Ok(())
    }

    fn range_of_prefix(&self) -> Value {
        // All keys that begin with the prefix: up to the one with its last byte, a slash, raised.
        let mut end = self.config.prefix.clone().into_bytes();
        if let Some(last) = end.last_mut() {
            *last += 1;
        }
        json!({ "key": STANDARD.encode(&self.config.prefix), "range_end": STANDARD.encode(end) })
    }

    fn swap(&self, key: Key, expected: Revision, record: &Record) -> Value {
        let path = STANDARD.encode(format!("{}{}", self.config.prefix, key.path()));
        let value = STANDARD.encode(record.to_bytes());
        json!({
            "compare": [{
                "key": path, "target": "MOD", "result": "EQUAL",
                "mod_revision": expected.0.to_string(),
            }],
            "success": [{ "request_put": { "key": path, "value": value } }],
            "failure": [{ "request_range": { "key": path } }],
        })
    }

    fn swapped(&self, answer: &Value) -> Result<StoreReply, Failure> {
        if answer["succeeded"].as_bool() == Some(true) {
            let revision = number(&answer["header"]["revision"]).ok_or(Failure::NotEtcd)?;
            return Ok(StoreReply::Swapped { revision: Revision(revision) });
        }
        let kvs = &answer["responses"][0]["response_range"]["kvs"];
        Ok(StoreReply::Conflict { current: self.entries(kvs).into_iter().next() })
    }

    /// Entries of ours; what else lies below the prefix is left out.
    fn entries(&self, kvs: &Value) -> Vec<Entry> {
        let kvs = kvs.as_array().map(Vec::as_slice).unwrap_or_default();
        kvs.iter().filter_map(|kv| self.entry(kv)).collect()
    }

    fn entry(&self, kv: &Value) -> Option<Entry> {
        let path = String::from_utf8(STANDARD.decode(kv["key"].as_str()?).ok()?).ok()?;
        let key = Key::from_path(path.strip_prefix(&self.config.prefix)?)?;
        let record = Record::from_bytes(&STANDARD.decode(kv["value"].as_str()?).ok()?).ok()?;
        Some(Entry { key, revision: Revision(number(&kv["mod_revision"])?), record })
    }

    async fn post(&mut self, path: &str, body: &Value) -> Result<Value, Failure> {
        if self.connection.as_ref().is_none_or(SendRequest::is_closed) {
            self.connection = Some(self.connect().await?);
        }
        let mut request = Request::post(path)
            .header("host", self.endpoint())
            .header("content-type", "application/json");
        if let Some(token) = &self.token {
            request = request.header("authorization", token);
        }
        let body = Full::new(Bytes::from(body.to_string()));
        let request = request.body(body).map_err(|_| Failure::Broken)?;
        let connection = self.connection.as_mut().ok_or(Failure::Broken)?;
        connection.ready().await.map_err(|_| Failure::Broken)?;
        let answer = connection.send_request(request).await.map_err(|_| Failure::Broken)?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), MAX_ANSWER_BYTES).collect().await;
        let body = body.map_err(|_| Failure::Broken)?.to_bytes();
        if status != StatusCode::OK {
            return Err(Failure::Status(status));
        }
        serde_json::from_slice(&body).map_err(|_| Failure::NotEtcd)
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, Failure> {
        let tcp = TcpStream::connect(self.endpoint()).await.map_err(|_| Failure::Broken)?;
        tcp.set_nodelay(true).map_err(|_| Failure::Broken)?;
        let Some(tls) = self.config.tls.clone() else { return handshake(tcp).await };
        let host = self.endpoint().rsplit_once(':').map_or(self.endpoint(), |it| it.0);
        let host = host.trim_start_matches('[').trim_end_matches(']').to_string();
        let name = ServerName::try_from(host).map_err(|_| Failure::Broken)?;
        let tls = tokio_rustls::TlsConnector::from(tls).connect(name, tcp).await;
        handshake(tls.map_err(|_| Failure::Broken)?).await
    }
}

async fn handshake<S>(stream: S) -> Result<SendRequest<Full<Bytes>>, Failure>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|_| Failure::Broken)?;
    // Ends with the sender.
    tokio::spawn(async move { drop(connection.await) });
    Ok(sender)
}

/// The gateway writes 64-bit numbers as text, and leaves zeros out.
fn number(value: &Value) -> Option<u64> {
    value.as_str().map_or_else(|| value.as_u64(), |it| it.parse().ok())
}
