//! What a device has said since it was opened: loss, refusals, finished submissions; and what it was asked to do.

use crate::exec::ExecError;
use futures_channel::oneshot;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Shared by a device, its callbacks and the buffers on it.
#[derive(Debug, Default)]
pub(super) struct Status {
    lost: Mutex<Option<String>>,
    /// Those who wait for a loss.
    mourners: Mutex<Vec<oneshot::Sender<()>>>,
    refused: Mutex<Option<String>>,
    pub(super) dispatches: AtomicU64,
    pub(super) submits: AtomicU64,
    pub(super) bytes: AtomicU64,
}

impl Status {
    pub(super) fn lose(&self, why: String) {
        lock(&self.lost).get_or_insert(why);
        for mourner in lock(&self.mourners).drain(..) {
            // Whoever has stopped waiting need not be told.
            let _ = mourner.send(());
        }
    }

    pub(super) fn loss(&self) -> Option<String> {
        lock(&self.lost).clone()
    }

    pub(super) fn on_loss(&self) -> oneshot::Receiver<()> {
        let (mourner, told) = oneshot::channel();
        lock(&self.mourners).push(mourner);
        told
    }

    /// Keeps the first error that nobody was waiting for.
    pub(super) fn refuse(&self, why: String) {
        lock(&self.refused).get_or_insert(why);
    }

    /// Whether the device still does what it is told. A refusal is told once; a loss is for good.
    pub(super) fn check(&self) -> Result<(), ExecError> {
        if let Some(why) = self.loss() {
            return Err(ExecError::Lost(why));
        }
        match lock(&self.refused).take() {
            Some(why) => Err(ExecError::Refused { what: "a command".into(), why }),
            None => Ok(()),
        }
    }

    pub(super) fn count(counter: &AtomicU64, more: u64) {
        counter.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn counters(&self) -> Counters {
        Counters {
            dispatches: self.dispatches.load(Ordering::Relaxed),
            submits: self.submits.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}

/// What a device has been asked to do since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Kernels dispatched.
    pub dispatches: u64,
    /// Command buffers submitted.
    pub submits: u64,
    /// Bytes of the buffers that are alive now.
    pub bytes: u64,
}

/// The content of a mutex; a panic elsewhere leaves these plain values whole.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
