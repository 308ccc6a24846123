//! Every routing procedure: on a network made for another one, and in training.

use crate::host::{exploration, run, settings};
use crate::readings;
use capscope::protocol::{Command, Exploration, Network, Procedure, Snapshot, TrainingSettings, TrainingState};

#[test]
fn another_procedure_reads_the_same_votes_without_retraining() {
    let asked = |serial, procedure| {
        Command::Explore(Exploration { procedure, ..exploration(serial, Network::Shipped("tiny".into())) })
    };
    let mut next = 0;
    let snapshots = run(vec![asked(0, None)], move |snapshot, inbox| {
        if matches!(snapshot, Snapshot::Picture(_)) {
            let procedure = Procedure::ALL.get(next).copied();
            next += 1;
            match (procedure, inbox.as_ref()) {
                (Some(procedure), Some(inbox)) => inbox.send(asked(next as u64, Some(procedure))),
                _ => *inbox = None,
            }
        }
    });
    let readings = readings(&snapshots);
    assert_eq!(readings.len(), 1 + Procedure::ALL.len());
    let own = readings[0];
    for (procedure, reading) in Procedure::ALL.into_iter().zip(&readings[1..]) {
        let parents = reading.sizes[1] as usize;
        let rows: Vec<f32> = reading.coupling.chunks_exact(parents).map(|row| row.iter().sum()).collect();
        println!("{procedure}: read as {}, entropy {:?}", reading.winner, reading.entropy);
        assert_eq!(reading.activity, own.activity, "{procedure} routes the same capsules");
        assert!(reading.poses.iter().all(|x| x.is_finite()), "{procedure}");
        match procedure {
            Procedure::Dynamic => assert_eq!(reading.poses, own.poses),
            Procedure::Leaky => assert!(rows.iter().all(|sum| *sum < 1.0)),
            _ => assert!(rows.iter().all(|sum| (sum - 1.0).abs() < 1e-5), "{procedure}"),
        }
        if procedure == Procedure::Uniform {
            assert!(reading.coupling.iter().all(|c| (c - 0.1).abs() < 1e-7));
        }
        let each = reading.poses.len() / usize::from(reading.iterations);
        let changes = reading.poses[..each] != reading.poses[reading.poses.len() - each..];
        assert_eq!(changes, procedure.iterates(), "{procedure}");
    }
}

#[test]
fn a_network_of_any_procedure_trains() {
    for procedure in Procedure::ALL {
        let wanted = TrainingSettings { procedure, ..settings("tiny", 8) };
        let mut steps = 0;
        let snapshots = run(vec![Command::Reset(wanted), Command::Step], move |snapshot, inbox| {
            if matches!(snapshot, Snapshot::Training(status) if status.state == TrainingState::Paused && status.step > steps)
            {
                steps += 1;
                match inbox.as_ref() {
                    Some(inbox) if steps < 3 => inbox.send(Command::Step),
                    _ => *inbox = None,
                }
            }
        });
        let losses: Vec<f32> = snapshots
            .iter()
            .filter_map(|s| if let Snapshot::Curve(points) = s { Some(points) } else { None })
            .flatten()
            .map(|point| point.margin)
            .collect();
        println!("{procedure}: {losses:?}");
        assert!(losses.len() == 3 && losses.iter().all(|loss| loss.is_finite() && *loss > 0.0), "{procedure}");
        let status = snapshots.iter().find_map(|s| match s {
            Snapshot::Network(status) if status.network == Network::Yours => Some(status),
            _ => None,
        });
        assert_eq!(status.map(|status| status.procedure), Some(procedure));
    }
}
