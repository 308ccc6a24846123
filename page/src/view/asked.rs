//! Which questions the engine has been asked, so that a late answer is known by what it is about.

use super::chosen::Chosen;
use capscope_protocol::{Exploration, Network, Procedure, Shown};
use leptos::prelude::*;
use std::collections::VecDeque;

/// So many questions can be under way; older ones are forgotten.
const MOST: usize = 256;

/// What one question was about.
#[derive(Clone, Debug, PartialEq)]
struct About {
    serial: u64,
    network: Network,
    procedure: Option<Procedure>,
    iterations: u8,
    shown: Shown,
    /// Grows when another digit comes into view; a drawing that grows is one scene.
    scene: u32,
    pixels: Vec<f32>,
}

/// The questions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    last: u64,
    questions: VecDeque<About>,
}

impl Asked {
    /// Numbers a question and remembers what it is about.
    pub fn ask(&mut self, exploration: &mut Exploration, scene: u32) {
        self.last += 1;
        exploration.serial = self.last;
        self.questions.push_back(About {
            serial: self.last,
            network: exploration.network.clone(),
            procedure: exploration.procedure,
            iterations: exploration.iterations,
            shown: exploration.shown,
            scene,
            pixels: exploration.pixels.clone(),
        });
        if self.questions.len() > MOST {
            self.questions.pop_front();
        }
    }

    /// Whether a reading is of the digit in view, or of the drawing as it was a moment ago.
    pub fn reading_is_in_view(&self, serial: u64, chosen: &Chosen) -> bool {
        self.question(serial).is_some_and(|about| same_reading(about, chosen))
    }

    /// Whether a picture is of the digit and the capsule in view.
    pub fn picture_is_in_view(&self, serial: u64, chosen: &Chosen) -> bool {
        let same = |about: &About| same_reading(about, chosen) && about.shown == chosen.shown.get_untracked();
        self.question(serial).is_some_and(same)
    }

    fn question(&self, serial: u64) -> Option<&About> {
        self.questions.iter().find(|about| about.serial == serial)
    }
}

fn same_reading(about: &About, chosen: &Chosen) -> bool {
    about.network == chosen.network.get_untracked()
        && about.procedure == chosen.procedure.get_untracked()
        && about.iterations == chosen.iterations.get_untracked()
        && chosen.pixels.with_untracked(|pixels| {
            let Some(pixels) = pixels else { return false };
            about.scene == chosen.scene.get_value() || about.pixels == **pixels
        })
}
