//! What survives a reload: the network in training with all that is needed to go on as if it had never stopped.
//!
//! There are two slots and a pointer to the one that holds. A state is written into the other slot, and the pointer is
//! moved in the same transaction; so at every moment one whole state is there, and the one before it as well. A slot
//! holds a weight file (parameters, moments, position: see [`weights`]) and a [`Record`] (settings, curve, tests).

#[cfg(target_arch = "wasm32")]
pub mod indexed;
#[cfg(target_arch = "wasm32")]
pub mod lock;

use crate::protocol::{CurvePoint, Evaluation, TrainingSettings};
use crate::train::weights::{self, Weights, WeightsError};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The form in which states are kept. Whoever changes [`Record`] so that older ones mean something else raises it.
pub const FORMAT: u32 = 1;

/// The key of the pointer; its value is one byte, the slot.
const POINTER: &str = "training, slot";

/// The keys of the slots: record and weights.
const SLOTS: [[&str; 2]; 2] =
    [["training 0, record", "training 0, weights"], ["training 1, record", "training 1, weights"]];

/// Why a kept state is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Kept by another version.
    #[error(
        "the training that was kept here is of format {found} and this version reads {FORMAT}; it is left alone until a new training is kept in its place"
    )]
    Format {
        /// The format's number.
        found: u32,
    },
    /// The record is damaged.
    #[error("the training that was kept here cannot be read ({0}); start a new one")]
    Record(String),
    /// The weights are damaged.
    #[error("the network that was kept here cannot be taken: {0}; start a new one")]
    Weights(#[from] WeightsError),
    /// The host's storage fails.
    #[error("{0}")]
    Host(String),
}

/// What is kept beside the weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub format: u32,
    /// When it was kept, in milliseconds since 1970.
    pub date: f64,
    /// What it is trained on, as the page names it.
    pub data: String,
    /// How it is trained.
    pub settings: TrainingSettings,
    /// What the steps cost.
    pub curve: Vec<CurvePoint>,
    /// Tests on held-out images, oldest first.
    pub evaluations: Vec<Evaluation>,
}

/// The part of a record that every format has.
#[derive(Deserialize)]
struct Head {
    format: u32,
}

impl Record {
    /// As JSON: a format that gains a field can still say what it is.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data always serialises")
    }

    /// Reads a record.
    ///
    /// # Errors
    /// If it is of another format, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StoreError> {
        let damaged = |error: serde_json::Error| StoreError::Record(error.to_string());
        let Head { format } = serde_json::from_slice(bytes).map_err(damaged)?;
        if format != FORMAT {
            return Err(StoreError::Format { found: format });
        }
        serde_json::from_slice(bytes).map_err(damaged)
    }
}

/// A state of training, ready to be kept or to be gone back to.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Settings, curve and tests.
    pub record: Record,
    /// The weight file.
    pub weights: Rc<Vec<u8>>,
    /// Steps done.
    pub step: u64,
}

/// A state that was read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalled {
    /// Settings, curve and tests.
    pub record: Record,
    /// Parameters, moments and position.
    pub weights: Weights,
    /// The file that they were read from.
    pub file: Rc<Vec<u8>>,
}

impl Recalled {
    fn new(record: Record, file: Rc<Vec<u8>>) -> Result<Self, StoreError> {
        Ok(Recalled { record, weights: weights::from_bytes(&file)?, file })
    }
}

impl Kept {
    /// What it holds.
    ///
    /// # Errors
    /// If the weight file is none.
    pub fn recall(&self) -> Result<Recalled, StoreError> {
        Recalled::new(self.record.clone(), self.weights.clone())
    }
}

/// Which slot holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    current: Option<usize>,
}

impl Slots {
    /// What is to be written in one transaction so that `kept` holds, and the slots as they are then.
    pub fn put(self, kept: &Kept) -> (Slots, Vec<(&'static str, Vec<u8>)>) {
        let slot = self.current.map_or(0, |current| 1 - current);
        let [record, weights] = SLOTS[slot];
        let entries =
            vec![(record, kept.record.to_bytes()), (weights, kept.weights.to_vec()), (POINTER, vec![slot as u8])];
        (Slots { current: Some(slot) }, entries)
    }
}

/// Reads what is kept, by way of `read`, which gives the value of a key. Where the newer state is damaged the older one
/// is taken; where it is of another format it is refused.
///
/// # Errors
/// [`StoreError`] of the newer state.
pub async fn recall(
    read: impl AsyncFn(&'static str) -> Result<Option<Vec<u8>>, String>,
) -> Result<(Slots, Option<Recalled>), StoreError> {
    let pointer = read(POINTER).await.map_err(StoreError::Host)?;
    let Some(current) = pointer.and_then(|bytes| bytes.first().map(|&slot| usize::from(slot & 1))) else {
        return Ok((Slots::default(), None));
    };
    match of_slot(&read, current).await {
        Ok(recalled) => Ok((Slots { current: Some(current) }, Some(recalled))),
        Err(error @ (StoreError::Host(_) | StoreError::Format { .. })) => Err(error),
        // The damaged slot is the one to be written next.
        Err(error) => match of_slot(&read, 1 - current).await {
            Ok(recalled) => Ok((Slots { current: Some(1 - current) }, Some(recalled))),
            Err(_) => Err(error),
        },
    }
}

async fn of_slot(
    read: &impl AsyncFn(&'static str) -> Result<Option<Vec<u8>>, String>,
    slot: usize,
) -> Result<Recalled, StoreError> {
    let [record, file] = SLOTS[slot];
    let get = async |key| {
        let value = read(key).await.map_err(StoreError::Host)?;
        value.ok_or_else(|| StoreError::Record(format!("{key} is missing")))
    };
    let record = Record::from_bytes(&get(record).await?)?;
    Recalled::new(record, Rc::new(get(file).await?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capsnet::{Layout, Preset};
    use crate::protocol::Procedure;
    use crate::train::weights::{About, Precision};
    use std::collections::HashMap;

    type Shelf = HashMap<&'static str, Vec<u8>>;

    fn kept(step: u64) -> Kept {
        let config = Preset::Tiny.config();
        let parameters = vec![0.5; Layout::new(&config).elements];
        let about = About { config, preset: Some("tiny".into()), step, results: None, training: None };
        let settings = TrainingSettings {
            preset: "tiny".into(),
            pairs: false,
            procedure: Procedure::Dynamic,
            batch: 8,
            iterations: 3,
            seed: 5,
            rate: 1e-3,
            reconstruction: 0.0005,
            epochs: 2,
            evaluate_every: 0,
        };
        let point = CurvePoint { step: 0, margin: 0.1 + 0.2, reconstruction: 1e-9, accuracy: 0.3, entropy: 2.3 };
        let record = Record {
            format: FORMAT,
            date: 1.8e12,
            data: "MNIST".into(),
            settings,
            curve: vec![point],
            evaluations: vec![],
        };
        let weights = Rc::new(weights::to_bytes(&about, &parameters, None, Precision::Single));
        Kept { record, weights, step }
    }

    fn back(shelf: &Shelf) -> Result<(Slots, Option<Recalled>), StoreError> {
        pollster::block_on(recall(async |key| Ok(shelf.get(key).cloned())))
    }

    fn step(shelf: &Shelf) -> u64 {
        back(shelf).expect("readable").1.expect("a state").weights.about.step
    }

    #[test]
    fn states_alternate_between_two_slots_and_the_newest_holds() {
        let (mut shelf, mut slots) = (Shelf::new(), Slots::default());
        assert_eq!(back(&shelf), Ok((Slots::default(), None)));
        for number in 1..=3 {
            let (next, entries) = slots.put(&kept(number));
            assert_eq!(entries.len(), 3, "record, weights and pointer go in one transaction");
            shelf.extend(entries);
            slots = next;
            assert_eq!(step(&shelf), number);
            assert_eq!(back(&shelf).expect("readable").0, slots);
        }
        assert_eq!(shelf.len(), 5);
        let recalled = back(&shelf).expect("readable").1.expect("a state");
        assert_eq!(recalled.record, kept(3).record, "numbers come back to the bit");
        assert_eq!(recalled, kept(3).recall().expect("our own file"));
    }

    #[test]
    fn a_damaged_state_gives_way_to_the_one_before() {
        let mut shelf = Shelf::new();
        let (slots, entries) = Slots::default().put(&kept(1));
        shelf.extend(entries);
        let (slots, entries) = slots.put(&kept(2));
        shelf.extend(entries);
        let [record, file] = SLOTS[slots.current.expect("a slot")];
        shelf.get_mut(file).expect("weights").truncate(100);
        assert_eq!(step(&shelf), 1);
        let (_, entries) = back(&shelf).expect("readable").0.put(&kept(3));
        assert_eq!(entries[0].0, record, "the damaged slot is written next");
        shelf.remove(SLOTS[0][0]);
        shelf.remove(SLOTS[1][0]);
        let error = back(&shelf).expect_err("both are gone").to_string();
        assert!(error.contains("cannot be read"), "{error}");
    }

    #[test]
    fn another_format_is_refused_by_its_number() {
        let (mut shelf, older) = (Shelf::new(), br#"{"format":0,"what":"unknown"}"#.to_vec());
        let (slots, entries) = Slots::default().put(&kept(1));
        shelf.extend(entries);
        shelf.insert(SLOTS[slots.current.expect("a slot")][0], older);
        let error = back(&shelf).expect_err("refused");
        assert_eq!(error, StoreError::Format { found: 0 });
        assert!(error.to_string().contains("format 0"));
        let failing = pollster::block_on(recall(async |_| Err("the disk is on fire".to_string())));
        assert_eq!(failing, Err(StoreError::Host("the disk is on fire".into())));
    }
}
