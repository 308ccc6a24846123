//! Training on a person's own set instead of MNIST.

use super::Engine;
use super::assets::Asset;
use crate::data::{Dataset, MnistSplit, Own};
use crate::protocol::{DataStatus, Network, Snapshot};
use std::rc::Rc;

/// The key under which the files of an own set are stored, so that a training on it survives a reload.
pub(super) const KEY: &str = "own set";

/// What MNIST is called in what is kept.
const MNIST: &str = "MNIST";

/// A set and the files that it was read from.
pub(super) struct Material {
    name: String,
    train: Rc<Dataset>,
    test: Rc<Dataset>,
    is_held_out: bool,
    files: Vec<u8>,
}

impl Material {
    /// From what [`KEY`] holds.
    ///
    /// # Errors
    /// A sentence that names the file and the way out.
    pub(super) fn from_stored(files: Vec<u8>) -> Result<Self, String> {
        let named: Vec<(String, Vec<u8>)> = postcard::from_bytes(&files).map_err(|error| {
            format!("the own set that was kept here cannot be read ({error}); choose its files again")
        })?;
        let own = Own::from_files(&named).map_err(|error| error.to_string())?;
        let (train, test) = (Rc::new(own.train), Rc::new(own.test));
        Ok(Material { name: own.name, train, test, is_held_out: own.is_held_out, files })
    }
}

impl Engine {
    /// Trains on own files from now on; a network in training starts anew.
    pub(super) async fn use_own_set(&mut self, files: Vec<(String, Vec<u8>)>) {
        let packed = postcard::to_allocvec(&files).map_err(|error| error.to_string());
        match packed.and_then(Material::from_stored) {
            Ok(material) => self.use_set(Some(material)).await,
            Err(error) => self.problem(error),
        }
    }

    /// Trains on MNIST or on an own set from now on; a network in training starts anew.
    pub(super) async fn use_set(&mut self, material: Option<Material>) {
        self.material = material;
        self.tell_data();
        if let Some(settings) = self.training.as_ref().map(|training| training.settings.clone()) {
            self.reset_training(settings).await;
        }
    }

    /// Takes the set on which a kept training goes on.
    ///
    /// # Errors
    /// A sentence, if that set is not here.
    pub(super) fn use_kept_set(&mut self, name: &str, stored: Option<Vec<u8>>) -> Result<(), String> {
        if name == MNIST {
            self.material = None;
        } else {
            let missing = || format!("the training that was kept here is of {name}, whose files are not here any more");
            let material = Material::from_stored(stored.ok_or_else(missing)?)?;
            if material.name != name {
                return Err(missing());
            }
            self.material = Some(material);
        }
        self.tell_data();
        Ok(())
    }

    pub(super) fn tell_data(&self) {
        let status = match &self.material {
            None => DataStatus {
                own: None,
                train: MnistSplit::TRAIN.count as u32,
                test: MnistSplit::TEST.count as u32,
                is_held_out: false,
            },
            Some(material) => DataStatus {
                own: Some(material.name.clone()),
                train: material.train.len() as u32,
                test: material.test.len() as u32,
                is_held_out: material.is_held_out,
            },
        };
        self.host.send(Snapshot::Data(status));
    }

    /// What is trained on, as it is kept.
    pub(super) fn data_name(&self) -> String {
        self.material.as_ref().map_or(MNIST, |material| &material.name).into()
    }

    /// The files of the own set, if there is one, to be stored.
    pub(super) fn own_files(&self) -> Option<Vec<u8>> {
        self.material.as_ref().map(|material| material.files.clone())
    }

    /// Images to train on.
    pub(super) fn training_count(&self) -> usize {
        self.material.as_ref().map_or(MnistSplit::TRAIN.count, |material| material.train.len())
    }

    /// The images to train on, if they are here.
    pub(super) fn training_set(&self) -> Option<Rc<Dataset>> {
        self.material.as_ref().map(|material| material.train.clone()).or_else(|| self.assets.training.clone())
    }

    /// The images that a network is tested on, if they are here; else they are fetched.
    pub(super) fn test_set(&mut self, network: &Network) -> Option<Rc<Dataset>> {
        if let (Network::Yours, Some(material)) = (network, &self.material) {
            return Some(material.test.clone());
        }
        if self.assets.test.is_none() {
            self.fetch(Asset::Test);
        }
        self.assets.test.clone()
    }
}
