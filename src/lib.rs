//! Capscope: a capsule-network laboratory.
//!
//! A network becomes a [`plan`] once; two executors run it. See ARCHITECTURE.md for the rooms and for who may know
//! whom.

pub mod bench;
pub mod capsnet;
pub mod data;
pub mod engine;
pub mod exec;
pub mod ops;
pub mod plan;
pub mod routing;
pub mod specimens;
pub mod store;
pub mod train;

pub use capscope_ink as ink;
pub use capscope_protocol as protocol;
