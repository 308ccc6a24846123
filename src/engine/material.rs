//! A person's own pictures, made into what the network reads.

use super::Engine;
use crate::ink::{self, InkError};
use crate::protocol::{OwnPicture, Refusal, Snapshot};

impl Engine {
    /// Reads a picture file, or says why not.
    pub(super) fn read_picture(&self, bytes: &[u8]) {
        self.host.send(Snapshot::OwnPicture(own_picture(bytes)));
    }
}

fn own_picture(bytes: &[u8]) -> Result<OwnPicture, Refusal> {
    let gray = ink::decode_picture(bytes).map_err(refusal)?;
    let pixels = ink::from_picture(&gray).ok_or(Refusal::Blank)?;
    Ok(OwnPicture {
        pixels: pixels.to_vec(),
        inverted: ink::is_dark_on_light(&gray),
        size: [gray.width(), gray.height()].map(|side| side as u32),
    })
}

fn refusal(error: InkError) -> Refusal {
    match error {
        InkError::NotAPicture => Refusal::NotAPicture,
        InkError::UnsupportedFormat { format } => Refusal::Format(format),
        InkError::TooLarge { width, height } => Refusal::TooLarge(width, height),
        InkError::Damaged { format, reason } => Refusal::Damaged(format, reason),
        // The decoder fills its rectangles; a picture of no pixels shows nothing.
        InkError::WrongLength { .. } => Refusal::Blank,
    }
}
