//! The engine's loop with a native host: the same commands that the page sends, on real data.

mod batch;
mod compare;
mod host;
mod keeping;
mod loss;
mod own;
mod procedures;
mod slow;
mod survey;

use capscope::protocol::{
    Command, DeviceChoice, Inspection, Network, Picture, Reading, Shown, Snapshot, TrainingSettings, TrainingState,
    Votes,
};
use host::{exploration, run, settings};
use std::collections::VecDeque;

fn readings(snapshots: &[Snapshot]) -> Vec<&Reading> {
    snapshots.iter().filter_map(|s| if let Snapshot::Reading(reading) = s { Some(&**reading) } else { None }).collect()
}

fn pictures(snapshots: &[Snapshot]) -> Vec<&Picture> {
    snapshots.iter().filter_map(|s| if let Snapshot::Picture(picture) = s { Some(&**picture) } else { None }).collect()
}

#[test]
fn a_reading_has_every_iteration_and_an_untouched_pose_decodes_to_the_bit() {
    let mut bent = exploration(2, Network::Yours);
    bent.offsets[2] = 0.2;
    bent.sweep = Some((2, vec![-0.2, 0.0, 0.2]));
    let again = exploration(3, Network::Yours);
    let mut steps = VecDeque::from([Command::Explore(bent), Command::Explore(again)]);
    let first = vec![Command::Reset(settings("tiny", 8)), Command::Explore(exploration(1, Network::Yours))];
    let snapshots = run(first, move |snapshot, inbox| {
        if matches!(snapshot, Snapshot::Picture(_)) {
            match (steps.pop_front(), inbox.as_ref()) {
                (Some(command), Some(inbox)) => inbox.send(command),
                _ => *inbox = None,
            }
        }
    });
    let readings = readings(&snapshots);
    assert_eq!(readings.len(), 1, "bending a pose reads nothing anew");
    let reading = readings[0];
    let [children, parents, dims] = reading.sizes.map(|n| n as usize);
    assert_eq!((children, parents, dims), (36, 10, 16));
    assert_eq!(reading.coupling.len(), 3 * children * parents);
    assert!(reading.coupling[..children * parents].iter().all(|&c| c == 0.1), "iteration 1 is uniform");
    for row in reading.coupling.chunks_exact(parents) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
    assert!((reading.entropy[0] - 10.0_f32.ln()).abs() < 1e-5);

    let pictures = pictures(&snapshots);
    assert_eq!(pictures.len(), 3);
    assert_eq!(pictures[0].pixels, pictures[2].pixels, "offset 0 is the plain picture, to the bit");
    assert_ne!(pictures[0].pixels, pictures[1].pixels);
    let columns: Vec<&[f32]> = pictures[1].sweep.chunks_exact(784).collect();
    assert_eq!(columns.len(), 3);
    assert_eq!(columns[1], pictures[0].pixels, "the sweep's zero column is the plain picture, to the bit");
    assert_eq!(columns[2], pictures[1].pixels);
}

#[test]
fn votes_and_layers_come_only_when_they_are_looked_at() {
    let looking = Inspection { votes: true, convolution: true, decoder: true };
    let mut other = exploration(3, Network::Yours);
    other.shown = Shown::Class(7);
    let mut steps = VecDeque::from([
        vec![Command::Inspect(looking)],
        vec![Command::Explore(other)],
        vec![Command::SaveTrace],
        vec![Command::Inspect(Inspection::default()), Command::SaveTrace],
        vec![Command::Explore(exploration(4, Network::Yours))],
    ]);
    let first = vec![Command::Reset(settings("tiny", 8)), Command::Explore(exploration(1, Network::Yours))];
    let snapshots = run(first, move |snapshot, inbox| {
        // The first picture, the layers of the first two looks, the files, and the last picture.
        let next = match snapshot {
            Snapshot::Picture(picture) => picture.serial == 1 || picture.serial == 4,
            Snapshot::Layers(_) | Snapshot::Trace(_) => true,
            _ => false,
        };
        if next {
            match (steps.pop_front(), inbox.as_ref()) {
                (Some(commands), Some(inbox)) => commands.into_iter().for_each(|command| inbox.send(command)),
                _ => *inbox = None,
            }
        }
    });
    let reading = readings(&snapshots)[0];
    let [children, parents, dims] = reading.sizes.map(|n| n as usize);
    let votes: Vec<&Votes> =
        snapshots.iter().filter_map(|s| if let Snapshot::Votes(votes) = s { Some(&**votes) } else { None }).collect();
    assert_eq!(
        votes.iter().map(|votes| (votes.serial, votes.class)).collect::<Vec<_>>(),
        [(1, reading.winner), (3, 7)]
    );
    let layers: Vec<Vec<(&str, &[u32])>> = snapshots
        .iter()
        .filter_map(|s| if let Snapshot::Layers(layers) = s { Some(&layers.layers) } else { None })
        .map(|layers| layers.iter().map(|layer| (layer.name.as_str(), layer.shape.as_slice())).collect())
        .collect();
    let hidden: [(&str, &[u32]); 2] = [("decoder.0", &[64]), ("decoder.1", &[128])];
    assert_eq!(layers[0], [[("conv1", &[16, 10, 10][..])].as_slice(), &hidden].concat());
    assert_eq!(layers[1..], [hidden], "another capsule changes the decoder's layers and nothing else");

    for votes in votes {
        assert_eq!((votes.votes.len(), votes.agreement.len()), (children * dims, children * parents));
        for round in 0..3 {
            // A lossless account of the length: what each capsule gives along s, and what the bias gives.
            let sum = &votes.sums[round * dims..][..dims];
            let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
            let along = |pose: &[f32]| pose.iter().zip(sum).map(|(a, b)| a * b).sum::<f32>() / length;
            let given = (0..children).map(|child| {
                let coupling = reading.coupling[(round * children + child) * parents + usize::from(votes.class)];
                coupling * along(&votes.votes[child * dims..][..dims])
            });
            let account = given.sum::<f32>() + along(&votes.bias);
            assert!((account - length).abs() < 1e-5 * length.max(1.0), "{account} of {length}");
        }
        // û·v of an iteration is what the next one's logits have gained; the last one's is told beside them.
        for child in 0..children {
            let pose = &reading.poses[(2 * parents + usize::from(votes.class)) * dims..][..dims];
            let vote = &votes.votes[child * dims..][..dims];
            let agreement: f32 = vote.iter().zip(pose).map(|(a, b)| a * b).sum();
            assert!((agreement - votes.agreement[child * parents + usize::from(votes.class)]).abs() < 1e-5);
        }
    }

    let file = snapshots.iter().find_map(|s| if let Snapshot::Trace(bytes) = s { Some(bytes) } else { None });
    let file = safetensors::SafeTensors::deserialize(file.expect("a trace")).expect("a safetensors file");
    let shape = |name: &str| file.tensor(name).map(|tensor| tensor.shape().to_vec()).unwrap_or_default();
    assert_eq!(shape("pixels"), [28, 28]);
    assert_eq!(shape("conv1"), [16, 10, 10]);
    assert_eq!(shape("primary"), [36, 8]);
    assert_eq!(shape("digit votes"), [36, 10, 16]);
    assert_eq!(shape("digit coupling"), [3, 36, 10]);
    assert_eq!(shape("digit s history"), [3, 10, 16]);
    assert_eq!(shape("reconstruction"), [28, 28]);
    let coupling: Vec<u8> = reading.coupling.iter().flat_map(|c| c.to_le_bytes()).collect();
    assert_eq!(file.tensor("digit coupling").expect("coefficients").data(), coupling, "what the page was told");
}

#[test]
fn training_goes_step_by_step_and_the_same_seed_gives_the_same_losses() {
    let curve = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
        pool.install(|| {
            let first = vec![Command::Reset(settings("tiny", 24)), Command::Step];
            let mut asked = 1;
            let snapshots = run(first, move |snapshot, inbox| {
                let Snapshot::Training(status) = snapshot else { return };
                // A pause may be told more than once; each step is asked for once.
                if status.state == TrainingState::Paused && status.step == asked {
                    asked += 1;
                    match inbox.as_ref() {
                        Some(inbox) if asked <= 3 => inbox.send(Command::Step),
                        Some(inbox) => inbox.send(Command::Pause),
                        None => {}
                    }
                } else if status.state == TrainingState::Paused && asked > 3 {
                    *inbox = None;
                }
            });
            snapshots
                .into_iter()
                .filter_map(|s| if let Snapshot::Curve(points) = s { Some(points) } else { None })
                .flatten()
                .map(|point| (point.step, point.margin.to_bits(), point.reconstruction.to_bits()))
                .collect::<Vec<_>>()
        })
    };
    let one = curve(1);
    assert_eq!(one.iter().map(|point| point.0).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(one, curve(1));
    assert_eq!(one, curve(3), "whatever the number of threads");
}

#[test]
fn a_stroke_is_answered_while_a_large_batch_trains() {
    let first = vec![Command::Reset(settings("compact", 128)), Command::Train];
    let mut sent = 0;
    let snapshots = run(first, move |snapshot, inbox| {
        let answered = matches!(snapshot, Snapshot::Picture(_));
        let running = matches!(snapshot, Snapshot::Training(status) if status.state == TrainingState::Running);
        if (running && sent == 0) || answered {
            sent += 1;
            match inbox.as_ref() {
                Some(inbox) if sent <= 3 => inbox.send(Command::Explore(exploration(sent, Network::Yours))),
                _ => *inbox = None,
            }
        }
        if sent > 3 {
            *inbox = None;
        }
    });
    let first_loss = snapshots.iter().position(|s| matches!(s, Snapshot::Curve(_)));
    let pictures = pictures(&snapshots);
    assert_eq!(pictures.len(), 3);
    assert!(first_loss.is_none(), "three strokes were answered before the first step of 128 images was done");
}

#[test]
fn a_device_is_told_after_what_it_has_read() {
    let first = vec![Command::Reset(settings("tiny", 8)), Command::Explore(exploration(1, Network::Yours))];
    let mut asked = false;
    let snapshots = run(first, move |snapshot, inbox| match snapshot {
        Snapshot::Picture(_) if !std::mem::replace(&mut asked, true) => {
            inbox.as_ref().unwrap().send(Command::UseDevice(DeviceChoice::Cpu));
        }
        Snapshot::Device(_) => *inbox = None,
        _ => {}
    });
    let told = snapshots.iter().position(|s| matches!(s, Snapshot::Device(_))).unwrap();
    assert_eq!((readings(&snapshots[..told]).len(), pictures(&snapshots[..told]).len()), (2, 2));
}

#[test]
fn what_cannot_be_done_is_said() {
    let mut impossible = settings("gigantic", 8);
    let commands = vec![
        Command::Start(DeviceChoice::Auto),
        Command::Train,
        Command::Reset(impossible.clone()),
        Command::Reset({
            impossible.preset = "tiny".into();
            impossible.rate = f64::NAN;
            impossible
        }),
        Command::LoadWeights(vec![1, 2, 3]),
        Command::SaveWeights(Network::Yours),
    ];
    let snapshots = run(commands, |snapshot, inbox| {
        if matches!(snapshot, Snapshot::Problem(problem) if problem.contains("no network in training")) {
            *inbox = None;
        }
    });
    let problems: Vec<&String> = snapshots
        .iter()
        .filter_map(|s| if let Snapshot::Problem(problem) = s { Some(problem) } else { None })
        .collect();
    println!("{problems:#?}");
    assert_eq!(problems.len(), 5);
    assert!(problems[1].contains("gigantic") && problems[2].contains("learning rate"));
    let device = snapshots.iter().rev().find_map(|s| if let Snapshot::Device(d) = s { Some(d) } else { None });
    assert!(device.is_some_and(|device| device.settled && device.reason.contains("no GPU")));
}

/// A network for overlapping digits reads 36×36 pixels; the page's digits lie in their middle, and come back as large as
/// they went.
#[test]
fn a_network_for_overlapping_digits_is_trained_and_looked_at_like_any_other() {
    let pairs = TrainingSettings { pairs: true, ..settings("tiny", 8) };
    let mut two = exploration(1, Network::Yours);
    two.two = true;
    two.sweep = Some((2, vec![-0.2, 0.2]));
    let snapshots = run(vec![Command::Reset(pairs), Command::Step], move |snapshot, inbox| match (snapshot, &inbox) {
        (Snapshot::Curve(_), Some(engine)) => engine.send(Command::Explore(two.clone())),
        (Snapshot::Picture(_) | Snapshot::Problem(_), _) => *inbox = None,
        _ => {}
    });
    let status = snapshots.iter().find_map(|s| if let Snapshot::Network(status) = s { Some(status) } else { None });
    let status = status.expect("a network");
    assert_eq!((status.input, status.digits, status.grid), ([36, 36], 2, [4, 5, 5]));
    let reading = *readings(&snapshots).last().expect("a reading");
    assert_eq!((reading.step, reading.sizes), (1, [100, 10, 16]));
    let picture = *pictures(&snapshots).last().expect("a picture");
    assert_eq!((picture.pixels.len(), picture.sweep.len(), picture.two.len()), (784, 2 * 784, 2));
    // The longest capsule's own picture is the plain one; the other is another capsule's.
    assert_eq!(picture.two[0], (reading.winner, picture.pixels.clone()));
    assert_ne!(picture.two[0].0, picture.two[1].0);
    let lengths = &reading.lengths[20..];
    let second = lengths[usize::from(picture.two[1].0)];
    assert!(lengths.iter().filter(|length| **length > second).count() == 1, "{lengths:?}");
}
