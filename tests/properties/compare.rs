//! A comparison of procedures says of each what reading with it alone says.

use capscope::capsnet::Config;
use capscope::data::Dataset;
use capscope::exec::{Device, Store};
use capscope::plan::Role;
use capscope::train::{Comparer, Evaluator, weights};
use pollster::block_on;
use std::path::Path;

/// Test images that are read.
const IMAGES: usize = 150;

fn asset(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(path)).expect("an asset")
}

fn test_digits() -> Dataset {
    let all = Dataset::from_idx(&asset("mnist/t10k-images-idx3-ubyte.gz"), &asset("mnist/t10k-labels-idx1-ubyte.gz"));
    // From where the shipped network makes most of its mistakes.
    all.expect("the test set").picked(|image| (2_000..2_000 + IMAGES).contains(&image))
}

fn correct(config: &Config, store: &Store, data: &Dataset, iterations: usize) -> u32 {
    let evaluator = block_on(Evaluator::new(&Device::Cpu, config, store, 50, iterations)).expect("an evaluation");
    block_on(evaluator.finish(data)).expect("no device is lost").correct()
}

#[test]
fn every_r_counts_as_if_routing_had_stopped_there_and_no_other_procedure_changes_that() {
    let network = weights::from_bytes(&asset("networks/tiny.safetensors")).expect("the shipped network");
    let (config, data) = (network.about.config, test_digits());
    let store = Device::Cpu.allocate(network.parameters.len(), false).expect("memory");
    store.write(Role::Parameters, &network.parameters);
    // Not a divisor of the images: the last ones are fewer.
    let comparer = block_on(Comparer::new(&Device::Cpu, &config, &store, 40)).expect("a comparison");
    let compared = block_on(comparer.finish(&data)).expect("no device is lost");
    assert_eq!(compared.total() as usize, IMAGES);
    let rounds = compared.rounds();
    let of = |name: &str| rounds.iter().filter(|round| round.procedure.name() == name).collect::<Vec<_>>();
    assert_eq!((of("dynamic").len(), of("leaky").len(), of("uniform").len(), of("random").len()), (10, 10, 1, 1));
    assert_eq!(rounds.len(), 22, "what learns beside the votes takes no part");
    for r in [1, 3, 10] {
        assert_eq!(of("dynamic")[r - 1].correct, correct(&config, &store, &data, r), "r = {r}");
    }
    let (first, last, equal) = (of("dynamic")[0], of("dynamic")[9], of("uniform")[0]);
    assert_eq!((first.correct, first.changed), (equal.correct, 0));
    assert!((first.entropy - 10f64.ln()).abs() < 1e-5 && (equal.entropy - first.entropy).abs() < 1e-6);
    assert!(last.entropy < 1.8 && last.changed > 0, "{last:?}");
    let most = (last.correct as i32 - first.correct as i32).unsigned_abs();
    assert!(last.changed >= most, "an answer cannot become right or wrong without another winner");
    // The same network as one made for EM: then EM takes part.
    let mut config = config;
    config.routed[0].procedure = "em".into();
    let names: Vec<_> = config.classes().comparable().iter().map(|procedure| procedure.name()).collect();
    assert!(names.contains(&"em") && names.contains(&"dynamic") && !names.contains(&"self-attention"), "{names:?}");
}
