//! Kernels chosen by measurement, kept from visit to visit and from a lost device to the next: on a slow adapter
//! measuring takes seconds.

use super::Engine;
use crate::exec::Device;
use crate::exec::gpu::Choices;
use crate::protocol::BUILD;
use serde::{Deserialize, Serialize};

/// The key under which they are stored.
pub(super) const KEY: &str = "kernels";

/// What was found on an adapter by a build; another one may have other kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Found {
    build: String,
    adapter: String,
    choices: Choices,
}

impl Found {
    /// From what [`KEY`] holds; what cannot be read is measured anew.
    pub(super) fn from_stored(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}

impl Engine {
    /// Has a new device take what was found before on the same adapter.
    pub(super) fn adopt_kernels(&self, device: &Device) {
        if let (Device::Gpu(context), Some(found)) = (device, &self.device.kernels)
            && found.build == BUILD
            && found.adapter == context.adapter().name
        {
            context.adopt(found.choices.clone());
        }
    }

    /// Remembers what the device in use has measured since, and stores it beside the loop.
    pub(super) fn remember_kernels(&mut self) {
        let Device::Gpu(context) = self.device.current() else { return };
        let (choices, adapter) = (context.choices(), context.adapter().name.clone());
        let found = Found { build: BUILD.into(), adapter, choices };
        if Some(&found) == self.device.kernels.as_ref() {
            return;
        }
        if let Ok(bytes) = postcard::to_allocvec(&found) {
            // Without storage they are measured again at the next visit.
            let storing = self.host.store(vec![(KEY, bytes)]);
            self.host.spawn(Box::pin(async move { drop(storing.await) }));
        }
        self.device.kernels = Some(found);
    }
}
