//! `capscope-cli compare`: every procedure and number of iterations on the same votes.

use crate::cli::{EVALUATED_AT_A_TIME, Outcome};
use crate::files;
use capscope::data::MnistSplit;
use capscope::exec::{Device, Store};
use capscope::plan::Role;
use capscope::train::{Comparer, Round};
use clap::Args;
use pollster::block_on;
use std::path::PathBuf;

/// Arguments of `compare`.
#[derive(Args)]
pub struct Arguments {
    /// A network that ships, by its preset's name, or a weight file
    #[arg(long, default_value = "compact")]
    network: String,
    /// Folder with MNIST's four IDX files
    #[arg(long, default_value = "assets/mnist")]
    data: PathBuf,
    /// Print comma-separated values instead of a table
    #[arg(long)]
    csv: bool,
}

/// Compares over all test images and prints what came of it.
pub fn run(device: &Device, arguments: &Arguments) -> Outcome {
    let shipped = PathBuf::from("assets/networks").join(&arguments.network).with_extension("safetensors");
    let network = files::network(if shipped.exists() { &shipped } else { arguments.network.as_ref() })?;
    let test = files::mnist(&arguments.data, &MnistSplit::TEST)?;
    let store: Store = device.allocate(network.parameters.len(), false)?;
    store.write(Role::Parameters, &network.parameters);
    let config = &network.about.config;
    let comparer = block_on(Comparer::new(device, config, &store, EVALUATED_AT_A_TIME))?;
    let done = block_on(comparer.finish(&test))?;
    let own = &config.classes().procedure;
    if arguments.csv {
        csv(&done)
    } else {
        table(&done, own, config.iterations())
    }
    Ok(())
}

fn csv(done: &Comparer) {
    println!("procedure,iterations,correct,total,entropy,winner_changed,starved_children,starved_parents");
    for round in done.rounds() {
        let parents: Vec<String> = round.starved_parents.iter().map(ToString::to_string).collect();
        let Round { iterations, correct, changed, entropy, starved_children, .. } = round;
        let (name, total, parents) = (round.procedure.name(), done.total(), parents.join(" "));
        println!("{name},{iterations},{correct},{total},{entropy:.6},{changed},{starved_children},{parents}");
    }
}

fn table(done: &Comparer, own: &str, trained: usize) {
    let ([children, parents], total) = (done.sizes(), done.total());
    println!(
        "{total} test images, trained with {own}, r = {trained}; {children} capsules vote for {parents}; the votes are the \
         same for all"
    );
    println!("starved: a mean coefficient below {}, half of an equal share", done.threshold());
    println!("procedure   r   right       %  entropy  winner changed  starved children  starved parents");
    let rounds = done.rounds();
    for round in &rounds {
        let percent = 100.0 * f64::from(round.correct) / f64::from(total.max(1));
        let starved: Vec<String> = round.starved_parents.iter().map(ToString::to_string).collect();
        println!(
            "{:<10} {:>2} {:>7} {percent:>7.2} {:>8.4} {:>15} {:>17}  {}",
            round.procedure.name(),
            round.iterations,
            round.correct,
            round.entropy,
            round.changed,
            round.starved_children,
            if starved.is_empty() { "none".into() } else { starved.join(", ") }
        );
    }
    println!("{}", finding(&rounds, own, trained, total.into()));
}

/// What routing has gained over equal coefficients on the same votes, and who has found what before.
fn finding(rounds: &[Round], own: &str, trained: usize, total: i64) -> String {
    let correct = |name: &str, r: usize| {
        let round = rounds.iter().find(|round| round.procedure.name() == name && round.iterations == r);
        round.map(|round| i64::from(round.correct))
    };
    let (Some(routed), Some(equal)) = (correct(own, trained).or(correct(own, 1)), correct("uniform", 1)) else {
        return String::new();
    };
    // Two standard errors, as if the images that only one gets wrong were all that either gets wrong: a cautious bound.
    let bound = 2.0 * ((2 * total - routed - equal) as f64).sqrt();
    let (gain, verdict) = (routed - equal, if (routed - equal).abs() as f64 <= bound { "within" } else { "beyond" });
    format!(
        "On these votes {own}, r = {trained}, names {gain:+} images beside equal coefficients, {verdict} chance. Paik, Kwak & \
         Kim 2019 (arXiv 1907.13327) found that networks trained with equal or random coefficients often do as well as with \
         routing."
    )
}
