//! What the engine fetches: trained networks, the gallery of test digits, and MNIST when it is first needed. Each is
//! fetched beside the loop and kept.

use super::{Engine, Event};
use crate::data::{Dataset, MNIST_SIDE, MnistSplit};
use crate::protocol::{Digits, Snapshot};
use std::collections::HashSet;
use std::rc::Rc;

/// Something to fetch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Asset {
    /// The 60 000 training images.
    Training,
    /// The 10 000 test images.
    Test,
    /// 100 test digits.
    Gallery,
    /// A trained network, by its preset's name.
    Network(String),
}

impl Asset {
    /// Its files below `assets/`.
    fn paths(&self) -> Vec<String> {
        let mnist =
            |split: MnistSplit| vec![format!("mnist/{}", split.images_file), format!("mnist/{}", split.labels_file)];
        match self {
            Asset::Training => mnist(MnistSplit::TRAIN),
            Asset::Test => mnist(MnistSplit::TEST),
            Asset::Gallery => ["images-idx3-ubyte.gz", "labels-idx1-ubyte.gz", "places.json"]
                .map(|name| format!("gallery/{name}"))
                .to_vec(),
            Asset::Network(preset) => vec![format!("networks/{preset}.safetensors")],
        }
    }
}

/// What has been fetched, and what is on its way.
#[derive(Default)]
pub(super) struct Assets {
    pub(super) training: Option<Rc<Dataset>>,
    pub(super) test: Option<Rc<Dataset>>,
    gallery: Option<Digits>,
    on_the_way: HashSet<Asset>,
    /// Test digits that wait for the test set.
    wanted_digits: Vec<u32>,
}

impl Assets {
    /// Whether these test digits are here: the gallery's need no test set.
    pub(super) fn has_digits(&self, places: &[u32]) -> bool {
        let gallery = self.gallery.as_ref().map(|gallery| gallery.indices.as_slice()).unwrap_or_default();
        self.test.is_some() || places.iter().all(|place| gallery.contains(place))
    }

    /// Test digits by their places, those that there are; `None` while they are not here.
    pub(super) fn digits(&self, places: &[u32]) -> Option<Digits> {
        if let Some(test) = &self.test {
            let places: Vec<u32> = places.iter().copied().filter(|&place| (place as usize) < test.len()).collect();
            return Some(digits(test, places.clone().into_iter().map(|place| place as usize), places));
        }
        let gallery = self.gallery.as_ref()?;
        let mut some = Digits { indices: places.to_vec(), ..Digits::default() };
        for place in places {
            let at = gallery.indices.iter().position(|index| index == place)?;
            some.labels.push(*gallery.labels.get(at)?);
            some.pixels.extend(gallery.pixels.chunks_exact(MNIST_SIDE * MNIST_SIDE).nth(at)?);
        }
        Some(some)
    }
}

impl Engine {
    /// Fetches an asset, unless it is on its way already.
    pub(super) fn fetch(&mut self, asset: Asset) {
        if !self.assets.on_the_way.insert(asset.clone()) {
            return;
        }
        let Some(sender) = self.sender.upgrade() else { return };
        let host = self.host.clone();
        self.host.spawn(Box::pin(async move {
            let mut files = vec![];
            let mut outcome = Ok(());
            for path in asset.paths() {
                let progress = |done, all| {
                    let _ = sender.try_send(Event::Loading(asset.clone(), done, all));
                };
                match host.fetch(&path, &progress).await {
                    Ok(bytes) => files.push(bytes),
                    Err(error) => {
                        outcome = Err(error);
                        break;
                    }
                }
            }
            let _ = sender.try_send(Event::Loaded(asset, outcome.map(|()| files)));
        }));
    }

    pub(super) fn loading(&mut self, asset: Asset, done: u32, all: u32) {
        if asset == Asset::Training {
            self.training_data_loading(done, all);
        }
    }

    pub(super) async fn loaded(&mut self, asset: Asset, outcome: Result<Vec<Vec<u8>>, String>) {
        self.assets.on_the_way.remove(&asset);
        let outcome = match outcome {
            Ok(files) => self.accept(&asset, &files).await,
            Err(error) => Err(error),
        };
        if let Err(error) = outcome {
            self.give_up_surveys(&asset);
            match asset {
                Asset::Training => {
                    self.refuse_benches(&error);
                    self.training_data_failed();
                }
                Asset::Test => {
                    self.give_up_evaluation();
                    self.give_up_comparison();
                }
                Asset::Gallery | Asset::Network(_) => {}
            }
            self.problem(error);
        }
    }

    async fn accept(&mut self, asset: &Asset, files: &[Vec<u8>]) -> Result<(), String> {
        match asset {
            Asset::Training => {
                self.assets.training = Some(mnist(files, MnistSplit::TRAIN)?);
                self.training_data_arrived().await;
            }
            Asset::Test => {
                self.assets.test = Some(mnist(files, MnistSplit::TEST)?);
                let places = std::mem::take(&mut self.assets.wanted_digits);
                if !places.is_empty() {
                    self.send_test_digits(places);
                }
            }
            Asset::Gallery => {
                let data = Dataset::from_idx(&files[0], &files[1]).map_err(|error| error.to_string())?;
                let places: Vec<u32> = serde_json::from_slice(&files[2]).map_err(|error| {
                    format!("the gallery's list of places cannot be read ({error}); reload the page")
                })?;
                if places.len() != data.len() {
                    return Err("the gallery's files do not belong together; reload the page".into());
                }
                self.assets.gallery = Some(digits(&data, 0..data.len(), places));
                self.send_gallery();
            }
            Asset::Network(preset) => self.network_arrived(preset, &files[0]).await?,
        }
        Ok(())
    }

    pub(super) fn send_gallery(&mut self) {
        match &self.assets.gallery {
            Some(gallery) => self.host.send(Snapshot::Digits(gallery.clone())),
            None => self.fetch(Asset::Gallery),
        }
    }

    pub(super) fn send_test_digits(&mut self, places: Vec<u32>) {
        match self.assets.digits(&places) {
            Some(digits) => self.host.send(Snapshot::Digits(digits)),
            None => {
                self.assets.wanted_digits = places;
                self.fetch(Asset::Test);
            }
        }
    }
}

fn digits(data: &Dataset, images: impl Iterator<Item = usize> + Clone, indices: Vec<u32>) -> Digits {
    Digits {
        labels: images.clone().map(|image| data.label(image)).collect(),
        pixels: images.flat_map(|image| data.image(image).iter().copied()).collect(),
        indices,
    }
}

fn mnist(files: &[Vec<u8>], split: MnistSplit) -> Result<Rc<Dataset>, String> {
    Dataset::from_idx(&files[0], &files[1])
        .and_then(|data| data.require_shape(MNIST_SIDE, MNIST_SIDE))
        .and_then(|data| data.require_count(split.count))
        .map(Rc::new)
        .map_err(|error| format!("{}: {error}", split.images_file))
}
