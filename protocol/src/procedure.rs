//! The routing procedures by name, as page and engine speak of them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How votes become parents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Procedure {
    /// By agreement.
    #[default]
    Dynamic,
    /// By agreement, with a way out.
    Leaky,
    /// Every parent alike.
    Uniform,
    /// Fixed random shares.
    Random,
    /// One pass over the agreement with all votes.
    SelfAttention,
    /// Gaussians fitted to the votes.
    Em,
}

impl Procedure {
    /// All of them.
    pub const ALL: [Procedure; 6] = [
        Procedure::Dynamic,
        Procedure::Leaky,
        Procedure::Uniform,
        Procedure::Random,
        Procedure::SelfAttention,
        Procedure::Em,
    ];

    /// Its name in files and addresses.
    pub fn name(self) -> &'static str {
        match self {
            Procedure::Dynamic => "dynamic",
            Procedure::Leaky => "leaky",
            Procedure::Uniform => "uniform",
            Procedure::Random => "random",
            Procedure::SelfAttention => "self-attention",
            Procedure::Em => "em",
        }
    }

    /// Whether more iterations change anything.
    pub fn iterates(self) -> bool {
        matches!(self, Procedure::Dynamic | Procedure::Leaky | Procedure::Em)
    }

    /// Whether it learns something of its own, which a network trained by another procedure does not have.
    pub fn learns(self) -> bool {
        matches!(self, Procedure::SelfAttention | Procedure::Em)
    }
}

impl fmt::Display for Procedure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Procedure {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Procedure::ALL.into_iter().find(|procedure| procedure.name() == name).ok_or(())
    }
}
