//! The routing procedures, one file each: how votes become parents. Every file directly in this folder is a procedure
//! with a constant `PROCEDURE` and a function `specimens`, which the build script lists.
//!
//! Kernels work on *problems*, each [I, J, D]: an image, or one position of it.

pub mod dynamic;
pub mod em;
pub mod leaky;
pub mod random;
pub mod self_attention;
mod support;
pub mod uniform;

pub use support::{Coefficients, Gradient, Problem, Procedure};

include!(concat!(env!("OUT_DIR"), "/procedures.rs"));

/// Every procedure, dynamic routing first.
pub const PROCEDURES: &[&dyn Procedure] = LISTED;

/// The procedure of a name.
pub fn named(name: &str) -> Option<&'static dyn Procedure> {
    PROCEDURES.iter().copied().find(|procedure| procedure.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_knows_every_procedure() {
        let known = crate::protocol::Procedure::ALL;
        assert_eq!(known.len(), PROCEDURES.len());
        let problem = Problem { coefficients: Coefficients::Softmax, ..Problem::compact() };
        for procedure in known {
            let found = named(procedure.name()).unwrap_or_else(|| panic!("there is no {procedure}"));
            assert_eq!(procedure.iterates(), found.iterates(), "{procedure}");
            let learns = found.tensors(&problem).iter().any(|(name, _)| *name != "bias");
            assert_eq!(procedure.learns(), learns, "{procedure}");
        }
    }

    #[test]
    fn procedures_have_names_of_their_own_and_say_what_they_do() {
        println!("{}", PROCEDURES.iter().map(|p| p.name()).collect::<Vec<_>>().join(", "));
        assert_eq!(PROCEDURES[0].name(), "dynamic");
        for (index, procedure) in PROCEDURES.iter().enumerate() {
            assert!(PROCEDURES[..index].iter().all(|other| other.name() != procedure.name()), "{procedure:?}");
            assert!(procedure.sentence().ends_with('.') && !procedure.source().is_empty(), "{procedure:?}");
            assert_eq!(named(procedure.name()).map(|found| found.name()), Some(procedure.name()));
        }
    }
}
