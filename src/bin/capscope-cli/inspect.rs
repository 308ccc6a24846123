//! `capscope-cli eval`, `trace` and `replay`: what a network does.

use crate::cli::{EVALUATED_AT_A_TIME, Outcome};
use crate::files;
use capscope::capsnet::{Purpose, plan};
use capscope::data::{MNIST_SIDE, MnistSplit, read_images};
use capscope::exec::{Device, Store};
use capscope::ink;
use capscope::plan::{Chosen, Role, Run};
use capscope::protocol::pixels::from_bytes;
use capscope::train::replay::{self, Named};
use capscope::train::weights::Weights;
use capscope::train::{Evaluator, Tally};
use clap::Args;
use pollster::block_on;
use std::path::PathBuf;
use std::sync::Arc;

/// Arguments of `eval`.
#[derive(Args)]
pub struct EvalArguments {
    /// The weight file
    network: PathBuf,
    /// Folder with MNIST's four IDX files
    #[arg(long, default_value = "assets/mnist")]
    data: PathBuf,
    /// Routing iterations, if other than the network was trained with
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=10))]
    iterations: Option<u8>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// Arguments of `trace`.
#[derive(Args)]
pub struct TraceArguments {
    /// The weight file
    network: PathBuf,
    /// A picture file, or an IDX file and the place of an image in it as FILE:N
    #[arg(long)]
    image: String,
    /// Routing iterations, if other than the network was trained with
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=10))]
    iterations: Option<u8>,
    /// The safetensors file to write
    #[arg(long)]
    out: PathBuf,
}

/// Arguments of `replay`.
#[derive(Args)]
pub struct ReplayArguments {
    /// The case's tensors
    case: PathBuf,
    /// The case's JSON
    description: PathBuf,
    /// The safetensors file to write
    #[arg(long)]
    out: PathBuf,
}

fn placed(device: &Device, network: &Weights) -> Outcome<Store> {
    let store = device.allocate(network.parameters.len(), false)?;
    store.write(Role::Parameters, &network.parameters);
    Ok(store)
}

/// Reads all test images and prints what came of it.
pub fn eval(device: &Device, arguments: &EvalArguments) -> Outcome {
    let network = files::network(&arguments.network)?;
    let test = files::mnist(&arguments.data, &MnistSplit::TEST)?;
    let config = &network.about.config;
    let iterations = arguments.iterations.map_or(config.iterations(), usize::from);
    let evaluator =
        block_on(Evaluator::new(device, config, &placed(device, &network)?, EVALUATED_AT_A_TIME, iterations))?;
    let tally = block_on(evaluator.finish(&test))?;
    if arguments.json {
        println!("{}", json(&tally));
    } else {
        print(&tally, iterations);
    }
    Ok(())
}

fn json(tally: &Tally) -> serde_json::Value {
    let confusion: Vec<&[u32]> = tally.confusion.chunks_exact(tally.classes).collect();
    serde_json::json!({
        "correct": tally.correct(),
        "total": tally.total(),
        "error_percent": tally.error_percent(),
        "confusion": confusion,
    })
}

fn print(tally: &Tally, iterations: usize) {
    println!("{} of {} right, {:.2} % wrong, r = {iterations}", tally.correct(), tally.total(), tally.error_percent());
    println!("rows: label; columns: read as");
    let line = |values: Vec<String>| values.iter().map(|value| format!("{value:>6}")).collect::<String>();
    println!("      {}", line((0..tally.classes).map(|class| class.to_string()).collect()));
    for (label, row) in tally.confusion.chunks_exact(tally.classes).enumerate() {
        println!("{label:>6}{}", line(row.iter().map(|count| count.to_string()).collect()));
    }
}

/// Writes every iteration of one image's routing.
pub fn trace(device: &Device, arguments: &TraceArguments) -> Outcome {
    let network = files::network(&arguments.network)?;
    let config = &network.about.config;
    let pixels = image(&arguments.image)?;
    if pixels.len() != config.pixels() {
        return Err(format!("the network reads {} pixels and the image has {}", config.pixels(), pixels.len()).into());
    }
    let iterations = arguments.iterations.map_or(config.iterations(), usize::from);
    let plan = Arc::new(plan(config, Purpose::Trace, 1)?);
    let mut loaded = block_on(device.load(plan.clone(), &placed(device, &network)?))?;
    loaded.write(plan.find("pixels").ok_or("the plan takes no pixels")?, &pixels);
    loaded.run(&Run::new(1, iterations, Chosen::Longest), 0..plan.steps.len())?;

    let layer = &config.classes().name;
    let tensors = [
        (format!("{layer} coupling"), "coupling"),
        (format!("{layer} logits"), "logits"),
        (format!("{layer} s history"), "s"),
        (format!("{layer} v history"), "v"),
        ("lengths".into(), "lengths"),
        ("reconstruction".into(), "reconstruction"),
    ];
    let mut outcome = vec![Named { name: "input".into(), shape: vec![config.height, config.width], values: pixels }];
    for (tensor, name) in tensors {
        let id = plan.find(&tensor).ok_or_else(|| format!("the plan has no tensor {tensor}"))?;
        let mut shape = plan.tensor(id).dims[1..].to_vec();
        if tensor.starts_with(&format!("{layer} ")) {
            shape[0] = iterations;
        }
        let values = block_on(loaded.read(id, shape.iter().product()))?;
        if name == "reconstruction" {
            shape = vec![config.height, config.width];
        }
        outcome.push(Named { name: name.into(), shape, values });
    }
    files::write(&arguments.out, &replay::to_bytes(&outcome))
}

/// An image of an IDX file as it is, or a picture file scaled and centred as MNIST was made.
fn image(name: &str) -> Outcome<Vec<f32>> {
    if let Some((path, place)) = name.rsplit_once(':')
        && let Ok(place) = place.parse::<usize>()
    {
        let images = read_images(&files::read(path.as_ref())?).map_err(|error| format!("{path}: {error}"))?;
        let size = images.height * images.width;
        let pixels = images.pixels.chunks_exact(size).nth(place);
        let pixels = pixels.ok_or_else(|| format!("{path} has {} images; there is no number {place}", images.count))?;
        return Ok(from_bytes(pixels));
    }
    let picture = ink::decode_picture(&files::read(name.as_ref())?).map_err(|error| format!("{name}: {error}"))?;
    let digit = ink::from_picture(&picture).ok_or_else(|| format!("{name}: there is nothing drawn on it"))?;
    debug_assert_eq!(digit.len(), MNIST_SIDE * MNIST_SIDE);
    Ok(digit.to_vec())
}

/// Runs a reference case.
pub fn replay(device: &Device, arguments: &ReplayArguments) -> Outcome {
    let tensors = files::read(&arguments.case)?;
    let json = String::from_utf8(files::read(&arguments.description)?)?;
    let outcome = block_on(replay::replay(device, &tensors, &json))?;
    files::write(&arguments.out, &replay::to_bytes(&outcome))
}
