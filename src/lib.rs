//! Capscope: a capsule-network laboratory.
//!
//! A network becomes a [`plan`] once; two executors ([`exec`]) run it. See ARCHITECTURE.md for the rooms and for who
//! may know whom.
