//! A device that is lost while it trains: the network goes on from its last state, on a new device or on the CPU.

use super::host::{Gpus, run, run_on, settings};
use capscope::protocol::{Command, DeviceChoice, DeviceKind, DeviceStatus, Snapshot};
use std::rc::Rc;

/// Steps of each run.
const STEPS: u64 = 6;

/// The losses of the last run over each step: what is done again replaces what was done before.
fn losses(snapshots: &[Snapshot]) -> Vec<f32> {
    let mut losses = vec![];
    for snapshot in snapshots {
        match snapshot {
            Snapshot::History(points, _) => losses.truncate(points.len()),
            Snapshot::Curve(points) => {
                for point in points {
                    losses.truncate(point.step as usize);
                    losses.push(point.margin + point.reconstruction);
                }
            }
            _ => {}
        }
    }
    losses
}

fn devices(snapshots: &[Snapshot]) -> Vec<&DeviceStatus> {
    let devices = snapshots.iter().filter_map(|s| if let Snapshot::Device(status) = s { Some(status) } else { None });
    devices.filter(|status| status.settled).collect()
}

#[test]
fn a_lost_device_is_replaced_and_after_three_losses_the_cpu_goes_on() {
    let first = |choice| vec![Command::Start(choice), Command::Reset(settings("tiny", 8)), Command::Step];
    // Steps one by one. Each device is taken away as soon as a step was done on it.
    let trained = |choice: DeviceChoice, gpus: Option<Gpus>| {
        let taken_from = gpus.clone();
        let script = move |snapshot: &Snapshot, inbox: &mut Option<capscope::engine::Inbox>| {
            let Snapshot::Curve(points) = snapshot else { return };
            let Some(last) = points.last() else { return };
            if let Some(context) = taken_from.as_ref().and_then(|gpus| gpus.borrow_mut().pop()) {
                context.destroy();
            }
            match inbox.as_ref() {
                Some(inbox) if last.step + 1 < STEPS => inbox.send(Command::Step),
                _ => *inbox = None,
            }
        };
        match gpus {
            None => run(first(choice), script),
            some => run_on(some, Rc::default(), first(choice), script),
        }
    };
    let undisturbed = losses(&trained(DeviceChoice::Cpu, None));
    let snapshots = trained(DeviceChoice::WebGpu, Some(Gpus::default()));

    let devices = devices(&snapshots);
    let told: Vec<_> = devices.iter().map(|status| (status.kind, status.reason.as_str())).collect();
    println!("{told:#?}");
    let kinds: Vec<_> = devices.iter().map(|status| status.kind).collect();
    assert_eq!(kinds, [DeviceKind::WebGpu, DeviceKind::WebGpu, DeviceKind::WebGpu, DeviceKind::Cpu]);
    assert!(devices[0].reason.is_empty());
    for status in &devices[1..] {
        assert!(status.reason.contains("was lost") && status.reason.contains("goes on from step"), "{}", status.reason);
    }
    assert!(devices[3].reason.contains("third loss"));
    let problems = snapshots.iter().filter(|snapshot| matches!(snapshot, Snapshot::Problem(_))).count();
    assert_eq!(problems, 0, "a loss is told where the device is replaced, and only there");

    let disturbed = losses(&snapshots);
    println!("without a loss {undisturbed:?}\nwith three     {disturbed:?}");
    assert_eq!(disturbed.len() as u64, STEPS);
    for (one, other) in undisturbed.iter().zip(&disturbed) {
        assert!((one - other).abs() < 1e-4 * one.abs(), "{one} and {other}");
    }
}
