//! Reading many pictures at once: a page of test digits, or one digit moved by degrees. A survey runs in slices, after
//! strokes and sliders and before everything that takes long.

use super::Engine;
use super::assets::Asset;
use super::frame::as_read;
use super::networks::Held;
use crate::capsnet::{Purpose, plan};
use crate::exec::{Device, ExecError, Loaded};
use crate::ops::lengths::longest;
use crate::plan::{Chosen, Run, TensorId};
use crate::protocol::{Digits, MOST_SURVEYED, Network, Pictures, Snapshot, SurveyRequest, Surveyed, pixels};
use std::ops::Range;
use std::sync::Arc;

/// The plan of a survey, and how far the present one is.
pub(super) struct Many {
    loaded: Loaded,
    /// pixels, lengths, v.
    ids: [TensorId; 3],
    capacity: usize,
    /// The survey whose results are here, and the step of the network that reads.
    of: Option<(u64, u64)>,
    lengths: Vec<f32>,
    poses: Vec<f32>,
    /// Pictures that are being read.
    current: Range<usize>,
    remaining: Range<usize>,
}

impl Many {
    async fn new(device: &Device, held: &Held, capacity: usize) -> Result<Self, String> {
        let capacity = capacity.clamp(1, MOST_SURVEYED);
        let plan = Arc::new(plan(&held.config, Purpose::Evaluate, capacity).map_err(|error| error.to_string())?);
        let find = |name: &str| plan.find(name).ok_or_else(|| format!("the evaluation has no tensor {name}"));
        let ids = [find("pixels")?, find("lengths")?, find(&format!("{} v", held.config.classes().name))?];
        Ok(Many {
            loaded: device.load(plan, &held.store).await.map_err(|error| error.to_string())?,
            ids,
            capacity,
            of: None,
            lengths: vec![],
            poses: vec![],
            current: 0..0,
            remaining: 0..0,
        })
    }

    /// Reads on until `pause` says so or the next pictures are read; whether all are.
    async fn advance(
        &mut self,
        (of, pixels, iterations): ((u64, u64), &[f32], usize),
        held: &Held,
        pause: &mut dyn FnMut() -> bool,
    ) -> Result<bool, ExecError> {
        let (classes, each) = (held.config.classes(), held.config.pixels());
        if self.of != Some(of) {
            (self.of, self.current) = (Some(of), 0..0);
            self.lengths.clear();
            self.poses.clear();
        }
        let all = pixels.len() / each;
        if self.current.is_empty() {
            let done = self.lengths.len() / classes.parents;
            self.current = done..(done + self.capacity).min(all);
            if self.current.is_empty() {
                return Ok(true);
            }
            self.loaded.write(self.ids[0], &pixels[self.current.start * each..self.current.end * each]);
            self.remaining = 0..self.loaded.plan().steps.len();
        }
        let count = self.current.len();
        self.loaded.advance(&Run::new(count, iterations, Chosen::Longest), &mut self.remaining, pause)?;
        if self.remaining.is_empty() {
            self.lengths.extend(self.loaded.read(self.ids[1], count * classes.parents).await?);
            self.poses.extend(self.loaded.read(self.ids[2], count * classes.parents * classes.dims).await?);
            self.current = 0..0;
        }
        Ok(self.lengths.len() == all * classes.parents)
    }
}

impl Engine {
    /// Takes a request in the place of an older one for the same purpose.
    pub(super) fn ask_survey(&mut self, mut request: SurveyRequest) {
        match &mut request.pictures {
            Pictures::Given(pixels) => pixels.truncate(MOST_SURVEYED * 784),
            Pictures::Test(places) => places.truncate(MOST_SURVEYED),
        }
        self.surveys.retain(|known| known.survey != request.survey);
        self.surveys.push(request);
    }

    /// The first survey whose network and digits are here; what is missing is fetched.
    pub(super) fn next_survey(&mut self) -> Option<usize> {
        (0..self.surveys.len()).find(|&place| {
            let network = self.surveys[place].network.clone();
            let has_digits = match &self.surveys[place].pictures {
                Pictures::Given(_) => true,
                Pictures::Test(places) => self.assets.has_digits(places),
            };
            if !has_digits {
                self.fetch(Asset::Test);
            }
            has_digits && self.held(&network).is_some()
        })
    }

    /// Surveys that wait for what could not be fetched are given up.
    pub(super) fn give_up_surveys(&mut self, missing: &Asset) {
        self.surveys.retain(|survey| match missing {
            Asset::Test => matches!(survey.pictures, Pictures::Given(_)),
            Asset::Network(preset) => survey.network != Network::Shipped(preset.clone()),
            Asset::Training | Asset::Gallery => true,
        });
    }

    /// One slice of a survey.
    pub(super) async fn survey_slice(&mut self, place: usize) {
        let request = self.surveys[place].clone();
        match self.survey(&request).await {
            Ok(None) => {}
            Ok(Some(surveyed)) => {
                self.surveys.remove(place);
                self.host.send(Snapshot::Surveyed(Box::new(surveyed)));
            }
            Err(error) => {
                self.surveys.remove(place);
                self.problem(error);
            }
        }
    }

    /// Goes on with a survey; its answer once all is read.
    async fn survey(&mut self, request: &SurveyRequest) -> Result<Option<Surveyed>, String> {
        let mut pause = self.deadline();
        let Some(held) = self.held(&request.network) else { return Ok(None) };
        let (digits, pixels) = match &request.pictures {
            Pictures::Given(pixels) => (Digits::default(), pixels.clone()),
            Pictures::Test(places) => {
                let digits = self.assets.digits(places).ok_or("the test digits are not here yet; ask again")?;
                let pixels = pixels::from_bytes(&digits.pixels);
                (digits, pixels)
            }
        };
        let pixels = as_read(&pixels, &held.config)?;
        let capacity = self.device.images_a_slice(&held.config, Purpose::Evaluate);
        let device = self.device.current().clone();
        let Some(reader) = self.reader(&request.network).await? else { return Ok(None) };
        if reader.many.is_none() {
            reader.many = Some(Many::new(&device, &held, capacity).await?);
        }
        let Some(many) = &mut reader.many else { return Ok(None) };
        let of = (request.serial, held.step);
        let asked = (of, pixels.as_slice(), usize::from(request.iterations.clamp(1, 10)));
        if !many.advance(asked, &held, &mut pause).await.map_err(|error| error.to_string())? {
            return Ok(None);
        }
        let (lengths, poses) = (many.lengths.clone(), many.poses.clone());
        let (parents, dims) = (held.config.classes().parents, held.config.classes().dims);
        let capsules = lengths.chunks_exact(parents).zip(poses.chunks_exact(parents * dims)).map(|(lengths, poses)| {
            let class = longest(lengths);
            (class, poses[class * dims..][..dims].to_vec())
        });
        let capsules: Vec<_> = if request.decode { capsules.collect() } else { vec![] };
        Ok(Some(Surveyed {
            serial: request.serial,
            survey: request.survey,
            network: request.network.clone(),
            step: held.step,
            sizes: [parents, dims].map(|n| n as u32),
            reconstructions: reader.decode(&capsules).await?,
            lengths,
            poses,
            digits,
        }))
    }
}
