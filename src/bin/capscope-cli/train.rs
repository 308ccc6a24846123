//! `capscope-cli train`.

use crate::cli::{EVALUATED_AT_A_TIME, Outcome};
use crate::files;
use capscope::capsnet::{Config, Preset};
use capscope::data::{Dataset, MnistSplit, PAIR_SHIFT};
use capscope::exec::Device;
use capscope::plan::Role;
use capscope::routing::PROCEDURES;
use capscope::train::weights::{self, About, Precision, Results, Standing};
use capscope::train::{Evaluator, Settings, Tally, Trainer};
use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressStyle};
use pollster::block_on;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Arguments of `train`.
#[derive(Args)]
pub struct Arguments {
    /// tiny, compact or paper
    #[arg(long, default_value = "compact", value_parser = ["tiny", "compact", "paper"])]
    preset: String,
    /// Train on pictures of two overlapping digits, 36×36, instead of single ones
    #[arg(long)]
    pairs: bool,
    /// Passes over the training images
    #[arg(long, default_value_t = 10)]
    epochs: u64,
    /// Stop after so many steps, if that is sooner
    #[arg(long)]
    steps: Option<u64>,
    /// Images a step
    #[arg(long, default_value_t = 128)]
    batch: usize,
    /// Images that run at a time: a run setting, since it decides in which order gradients add up
    #[arg(long, default_value_t = 32)]
    chunk: usize,
    /// The procedure that routes, by default dynamic routing
    #[arg(long, value_parser = PossibleValuesParser::new(PROCEDURES.iter().map(|procedure| procedure.name())))]
    procedure: Option<String>,
    /// Routing iterations, if other than the preset's
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=10))]
    iterations: Option<u8>,
    /// Learning rate of step 0, if other than the preset's
    #[arg(long)]
    rate: Option<f64>,
    /// Steps over which the rate falls by 4 %, if other than the preset's 2000
    #[arg(long)]
    decay_steps: Option<f64>,
    /// Weight of the reconstruction loss, if other than the preset's 0.0005
    #[arg(long)]
    reconstruction: Option<f32>,
    /// Seed of weights, order and shifts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder with MNIST's four IDX files
    #[arg(long, default_value = "assets/mnist")]
    data: PathBuf,
    /// The weight file to write; while training lasts it can be resumed from
    #[arg(long)]
    out: PathBuf,
    /// Go on from this file; its configuration and settings count
    #[arg(long)]
    resume: Option<PathBuf>,
    /// In the end write 16-bit weights without moments, as networks that ship are
    #[arg(long)]
    half: bool,
}

impl Arguments {
    fn config(&self) -> Config {
        let mut config = Preset::named(&self.preset).expect("a name that clap has checked").config();
        if self.pairs {
            config = config.for_pairs(PAIR_SHIFT.into());
        }
        for layer in &mut config.routed {
            layer.iterations = self.iterations.map_or(layer.iterations, usize::from);
            if let Some(procedure) = &self.procedure {
                layer.procedure.clone_from(procedure);
            }
        }
        config.adam.rate = self.rate.unwrap_or(config.adam.rate);
        config.adam.decay_steps = self.decay_steps.unwrap_or(config.adam.decay_steps);
        config.loss.reconstruction = self.reconstruction.unwrap_or(config.loss.reconstruction);
        config
    }

    /// The command as it was given, program and paths' folders left out.
    fn command(&self) -> String {
        let words = std::env::args().skip(1).map(|word| word.rsplit('/').next().unwrap_or(&word).to_string());
        ["capscope-cli".to_string()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }
}

/// A trainer with what is written into its file.
struct Session<'a> {
    arguments: &'a Arguments,
    trainer: Trainer,
    preset: Option<String>,
    log: Vec<String>,
}

/// Trains, evaluates after each epoch, and writes the file.
pub fn run(device: &Device, arguments: &Arguments) -> Outcome {
    let train = files::mnist(&arguments.data, &MnistSplit::TRAIN)?;
    let test = files::mnist(&arguments.data, &MnistSplit::TEST)?;
    let mut session = Session::begin(device, arguments, train.len())?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = interrupted.clone();
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))?;

    let config = session.trainer.config();
    println!(
        "{} parameters, {} training images, batch {} in chunks of {}, seed {}",
        capscope::capsnet::Layout::new(config).parameters(),
        train.len(),
        session.trainer.settings().batch,
        session.trainer.settings().chunk,
        session.trainer.settings().seed
    );
    while !session.is_done(train.len()) {
        let whole = session.epoch(&train, &interrupted)?;
        if interrupted.load(Ordering::Relaxed) {
            session.save()?;
            println!("stopped at step {}; go on with --resume {}", session.trainer.step(), arguments.out.display());
            return Ok(());
        }
        if whole {
            session.evaluate(&test)?;
            session.save()?;
        }
    }
    session.finish(&test)
}

impl<'a> Session<'a> {
    fn begin(device: &Device, arguments: &'a Arguments, images: usize) -> Outcome<Self> {
        let (trainer, preset, log) = match &arguments.resume {
            Some(path) => {
                let file = files::network(path)?;
                let standing =
                    file.about.training.ok_or("the file to resume from does not say where training stands")?;
                if file.moments.is_none() {
                    return Err("the file to resume from has no moments; training cannot go on exactly".into());
                }
                let log = file.about.results.as_ref().map(|results| results.log.clone()).unwrap_or_default();
                let trainer = block_on(Trainer::resume(device, &file, standing.settings, standing.position, images))?;
                (trainer, file.about.preset.clone(), log)
            }
            None => {
                let max_shift = if arguments.pairs { PAIR_SHIFT } else { 2 };
                let settings =
                    Settings { batch: arguments.batch, seed: arguments.seed, max_shift, chunk: arguments.chunk };
                let trainer = block_on(Trainer::new(device, arguments.config(), settings, images))?;
                (trainer, Some(arguments.preset.clone()), vec![])
            }
        };
        Ok(Session { arguments, trainer, preset, log })
    }

    fn is_done(&self, images: usize) -> bool {
        let steps = self.arguments.steps.is_some_and(|most| self.trainer.step() >= most);
        steps || self.trainer.epoch(images) >= self.arguments.epochs as f64
    }

    /// Trains to the end of the epoch, or until the last step or an interrupt. Returns whether the epoch is whole.
    fn epoch(&mut self, data: &Dataset, interrupted: &AtomicBool) -> Outcome<bool> {
        let epoch = self.trainer.epoch(data.len());
        let batch = self.trainer.settings().batch as u64;
        let bar = ProgressBar::new(data.len() as u64).with_style(ProgressStyle::with_template(
            "epoch {prefix} [{wide_bar}] {pos}/{len} images, {per_sec}, {eta} left  {msg}",
        )?);
        bar.set_prefix(format!("{}", epoch.floor() as u64 + 1));
        bar.set_position((epoch.fract() * data.len() as f64) as u64);
        bar.reset_eta();
        let (mut sums, mut steps) = ([0.0_f64; 4], 0.0);
        let whole = loop {
            self.trainer.advance(data, &mut || false)?;
            block_on(self.trainer.settle(2))?;
            let ends = self.trainer.epoch(data.len()).floor() > epoch.floor();
            if ends
                || self.trainer.step().is_multiple_of(16)
                || self.is_done(data.len())
                || interrupted.load(Ordering::Relaxed)
            {
                for losses in block_on(self.trainer.losses())? {
                    let values = [losses.margin, losses.reconstruction, losses.accuracy, losses.entropy];
                    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += f64::from(value));
                    steps += 1.0;
                    bar.set_message(format!("loss {:.4}", losses.total()));
                }
            }
            bar.inc(batch);
            if ends || self.is_done(data.len()) || interrupted.load(Ordering::Relaxed) {
                break ends;
            }
        };
        let rate = bar.per_sec();
        bar.finish_and_clear();
        let [margin, reconstruction, accuracy, entropy] = sums.map(|sum| sum / steps);
        self.log.push(format!(
            "epoch {:.2}, step {}: margin {margin:.5}, reconstruction {reconstruction:.5}, training accuracy {:.2} %, \
             routing entropy {entropy:.3} nats",
            self.trainer.epoch(data.len()),
            self.trainer.step(),
            100.0 * accuracy
        ));
        println!("{} ({rate:.0} images/s)", self.log.last().expect("just pushed"));
        Ok(whole)
    }

    fn evaluate(&mut self, test: &Dataset) -> Outcome<Tally> {
        let tally = tally(self.trainer.device(), self.trainer.config(), self.trainer.store(), test)?;
        let line = format!("  test: {} of {} right", tally.correct(), tally.total());
        println!("{line}");
        if let Some(last) = self.log.last_mut() {
            *last += &format!(";{}", &line[1..]);
        }
        Ok(tally)
    }

    fn about(&self, results: Option<Results>) -> About {
        About {
            config: self.trainer.config().clone(),
            preset: self.preset.clone(),
            step: self.trainer.step(),
            results,
            training: Some(Standing { settings: *self.trainer.settings(), position: self.trainer.position() }),
        }
    }

    fn buffers(&self) -> Outcome<[Vec<f32>; 3]> {
        let store = self.trainer.store();
        let read = |role| block_on(store.read(role));
        Ok([read(Role::Parameters)?, read(Role::FirstMoments)?, read(Role::SecondMoments)?])
    }

    /// Writes a file that can be resumed from.
    fn save(&self) -> Outcome {
        let [parameters, first, second] = self.buffers()?;
        let bytes = weights::to_bytes(&self.about(None), &parameters, Some([&first, &second]), Precision::Single);
        files::write(&self.arguments.out, &bytes)
    }

    /// Writes the final file. Its results are of the very numbers in it: 16-bit weights are read back before counting.
    fn finish(&mut self, test: &Dataset) -> Outcome {
        let [parameters, first, second] = self.buffers()?;
        let precision = if self.arguments.half { Precision::Half } else { Precision::Single };
        let rounded = weights::from_bytes(&weights::to_bytes(&self.about(None), &parameters, None, precision))?;
        let device = self.trainer.device().clone();
        let store = device.allocate(rounded.parameters.len(), false)?;
        store.write(Role::Parameters, &rounded.parameters);
        let tally = tally(&device, self.trainer.config(), &store, test)?;
        let [means, deviations] = tally.spread();
        let results = Results {
            command: self.arguments.command(),
            seed: self.trainer.settings().seed,
            log: self.log.clone(),
            correct: tally.correct(),
            total: tally.total(),
            means,
            deviations,
        };
        let mut about = self.about(Some(results));
        let moments = if self.arguments.half { None } else { Some([first.as_slice(), second.as_slice()]) };
        if self.arguments.half {
            about.training = None;
        }
        let bytes = weights::to_bytes(&about, &parameters, moments, precision);
        files::write(&self.arguments.out, &bytes)?;
        println!(
            "{}: {} bytes, {} of {} test images right ({:.2} % wrong)",
            self.arguments.out.display(),
            bytes.len(),
            tally.correct(),
            tally.total(),
            tally.error_percent()
        );
        Ok(())
    }
}

fn tally(device: &Device, config: &Config, store: &capscope::exec::Store, test: &Dataset) -> Outcome<Tally> {
    let evaluator = block_on(Evaluator::new(device, config, store, EVALUATED_AT_A_TIME, config.iterations()))?;
    Ok(block_on(evaluator.finish(test))?)
}
