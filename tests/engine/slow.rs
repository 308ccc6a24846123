//! A training step in slow motion against the same step at once.

use super::host::{run, settings};
use capscope::engine::Inbox;
use capscope::protocol::{Command, CurvePoint, SlowMotion, SlowPhase, Snapshot, TrainingState};

fn phases(snapshots: &[Snapshot]) -> Vec<&SlowMotion> {
    snapshots.iter().filter_map(|s| if let Snapshot::Slow(Some(motion)) = s { Some(motion) } else { None }).collect()
}

fn curve(snapshots: &[Snapshot]) -> Vec<CurvePoint> {
    let points = snapshots.iter().filter_map(|s| if let Snapshot::Curve(points) = s { Some(points) } else { None });
    points.flatten().copied().collect()
}

/// Ends once so many steps are done and training is paused.
fn until(steps: u64) -> impl FnMut(&Snapshot, &mut Option<Inbox>) {
    move |snapshot, inbox| {
        if matches!(snapshot, Snapshot::Training(t) if t.step == steps && t.state == TrainingState::Paused) {
            *inbox = None;
        }
    }
}

#[test]
fn a_step_in_slow_motion_is_the_step_with_every_phase_shown() {
    let reset = Command::Reset(settings("tiny", 5));
    let quick = run(vec![reset.clone(), Command::Step], until(1));
    let slow = run(vec![reset, Command::SlowNext], |snapshot, inbox| match snapshot {
        Snapshot::Slow(Some(motion)) if motion.index + 1 < motion.count => {
            inbox.as_ref().expect("a page").send(Command::SlowNext)
        }
        Snapshot::Training(status) if status.step == 1 => *inbox = None,
        _ => {}
    });
    let (quick, own) = (curve(&quick), curve(&slow));
    assert_eq!((quick.len(), own.len()), (1, 1));
    for (a, b) in [(quick[0].margin, own[0].margin), (quick[0].reconstruction, own[0].reconstruction)] {
        assert!((a - b).abs() < 1e-5, "{a} and {b}");
    }
    assert_eq!(quick[0].accuracy, own[0].accuracy);

    let phases = phases(&slow);
    assert_eq!(phases.len(), 12);
    assert!(phases.iter().enumerate().all(|(k, motion)| (motion.index, motion.count) == (k as u32, 12)));
    assert!(phases.iter().all(|motion| (motion.step, motion.images) == (0, 5)));
    let SlowPhase::Pixels(pixels, labels, ink) = &phases[0].phase else { panic!("pixels come first") };
    assert_eq!((pixels.len(), labels.len()), (5 * 784, 5));
    let mean = pixels.iter().map(|&byte| f64::from(byte)).sum::<f64>() / pixels.len() as f64 / 255.0;
    assert!((mean - f64::from(*ink)).abs() < 1e-3);
    let SlowPhase::Primary(_, most, bins) = &phases[2].phase else { panic!("primary capsules") };
    assert_eq!(bins.iter().sum::<u32>(), 5 * 36);
    assert!(*most < 1.0);
    let SlowPhase::Votes(count, _) = &phases[3].phase else { panic!("votes") };
    assert_eq!(*count, 5 * 36 * 10);
    let iterations: Vec<_> = phases[4..7]
        .iter()
        .map(|motion| match &motion.phase {
            SlowPhase::Iteration(number, entropy, lengths, right) => (*number, *entropy, lengths.clone(), *right),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(iterations.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), [1, 2, 3]);
    assert!((iterations[0].1 - 10.0_f32.ln()).abs() < 1e-5, "iteration 1 is uniform");
    assert!((iterations[2].1 - own[0].entropy).abs() < 1e-5);
    let SlowPhase::Lengths(predictions, present, absent, right) = &phases[7].phase else { panic!("lengths") };
    assert_eq!((predictions.len(), *right), (5, own[0].accuracy));
    assert!((iterations[2].2.iter().sum::<f32>() - present - 9.0 * absent).abs() < 1e-4, "the same lengths");
    assert!(matches!(phases[8].phase, SlowPhase::Margin(loss) if (loss - own[0].margin).abs() < 1e-6));
    assert!(matches!(&phases[9].phase, SlowPhase::Reconstruction(loss, pictures)
        if *loss == own[0].reconstruction && pictures.len() == 5 * 784));
    let SlowPhase::Gradients(gradients) = &phases[10].phase else { panic!("gradients") };
    assert!(gradients.iter().all(|(_, size)| *size > 0.0));
    let SlowPhase::Update(rate, layers) = &phases[11].phase else { panic!("the update") };
    assert_eq!(*rate, 1e-3);
    // Adam's first step moves each parameter by the rate, or not at all where its gradient is zero.
    assert!(layers.iter().all(|(_, change, _)| *change > 0.0 && *change <= 1.0001e-3), "{layers:?}");
}

#[test]
fn a_step_left_in_slow_motion_is_done_anew() {
    let reset = Command::Reset(settings("tiny", 5));
    let quick = run(vec![reset.clone(), Command::Step], until(1));
    let left = run(vec![reset, Command::SlowNext], |snapshot, inbox| {
        let Some(sender) = inbox.as_ref() else { return };
        match snapshot {
            Snapshot::Slow(Some(motion)) if motion.index < 10 => sender.send(Command::SlowNext),
            Snapshot::Slow(Some(_)) => sender.send(Command::SlowEnd),
            Snapshot::Slow(None) => sender.send(Command::Step),
            _ => until(1)(snapshot, inbox),
        }
    });
    assert_eq!(curve(&left), curve(&quick), "the same to the bit");
}
