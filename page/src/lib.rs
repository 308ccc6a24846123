//! The page: what a person sees and does. It knows [`protocol`](capscope_protocol) and [`ink`](capscope_ink) only.
//!
//! What can be computed without a browser stands here and is tested natively; the Leptos components are in `view`.

pub mod account;
pub mod address;
pub mod axes;
pub mod bench;
pub mod chart;
pub mod comparison;
pub mod confusion;
pub mod csv;
pub mod drawing;
pub mod equivariance;
pub mod flow;
pub mod format;
pub mod gallery;
pub mod geometry;
pub mod layers;
pub mod moves;
pub mod overlap;
pub mod playground;
pub mod plot;
pub mod pose;
pub mod ramp;
pub mod readout;
pub mod scatter;
pub mod sheet;
pub mod slow;
pub mod sources;
pub mod svg;
pub mod text;
pub mod tour;
#[cfg(target_arch = "wasm32")]
mod view;

#[cfg(target_arch = "wasm32")]
pub use view::start;
