//! What must hold of routing, of whole networks and of training whatever the numbers are, on the CPU.

#[path = "../twins/mod.rs"]
mod twins;

mod compare;
mod network;
mod pairs;
mod routing;
mod training;
