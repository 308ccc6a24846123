//! The capsule network of Sabour, Frosst & Hinton (2017): its configuration, its parameters, and the plans made of it.

mod config;
mod field;
mod layout;
mod plans;
mod routed;

pub use config::{AdamSettings, Config, ConfigError, Conv1, Decoder, LossSettings, Preset, Primary, Routed};
pub use field::ReceptiveField;
pub use layout::{Entry, Layout};
pub use plans::{Purpose, most_images, plan, plan_routed_by};
