//! Foreign formats, read into a [`Recording`](crate::recording::Recording).
