//! Measuring the device in use, at the page's request. Nothing else is answered while it lasts: whatever ran beside it
//! would be measured too.

use super::Engine;
use super::assets::Asset;
use crate::bench::Bench;
use crate::capsnet::Purpose;
use crate::protocol::{BenchRequest, Snapshot};

impl Engine {
    /// Takes a request; it waits for the training images.
    pub(super) fn begin_bench(&mut self, request: BenchRequest) {
        self.benches.push_back(request);
        if self.assets.training.is_none() {
            self.fetch(Asset::Training);
        }
    }

    /// True if a request waits and all is there.
    pub(super) fn can_bench(&self) -> bool {
        !self.benches.is_empty() && self.assets.training.is_some()
    }

    /// Answers the oldest request.
    pub(super) async fn bench(&mut self) {
        let (Some(data), Some(request)) = (self.assets.training.clone(), self.benches.pop_front()) else { return };
        let host = self.host.clone();
        let bench = Bench {
            device: self.device.current(),
            data: &data,
            now: &|| host.now(),
            chunk: &|config| self.device.images_a_slice(config, Purpose::Train),
        };
        let outcome = bench.run(&request).await.map(Box::new).map_err(|error| error.to_string());
        self.host.send(Snapshot::Benched(request.serial, outcome));
    }

    /// There will be no training images: the requests that wait for them get the reason.
    pub(super) fn refuse_benches(&mut self, reason: &str) {
        for request in std::mem::take(&mut self.benches) {
            self.host.send(Snapshot::Benched(request.serial, Err(reason.into())));
        }
    }
}
