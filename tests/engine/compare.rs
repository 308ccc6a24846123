//! Procedures compared in the background, with progress and a way to stop.

use super::host::{exploration, run, settings};
use super::{own, readings};
use capscope::protocol::{Command, Network, Procedure, Snapshot};

fn tiny() -> Network {
    Network::Shipped("tiny".into())
}

#[test]
fn a_comparison_tells_its_progress_lets_a_person_read_meanwhile_and_can_be_stopped() {
    let first = vec![Command::Explore(exploration(1, tiny()))];
    let mut told = false;
    let snapshots = run(first, move |snapshot, inbox| {
        let Some(sender) = inbox.as_ref() else { return };
        match snapshot {
            Snapshot::Picture(picture) if picture.serial == 1 => sender.send(Command::Compare(tiny())),
            Snapshot::Comparing(done, _) if *done > 0 && !told => {
                told = true;
                sender.send(Command::Explore(exploration(2, tiny())));
            }
            Snapshot::Picture(picture) if picture.serial == 2 => sender.send(Command::CancelComparison),
            Snapshot::Comparing(0, 0) | Snapshot::Compared(_) | Snapshot::Problem(_) => *inbox = None,
            _ => {}
        }
    });
    let told: Vec<(u32, u32)> = snapshots
        .iter()
        .filter_map(|s| if let Snapshot::Comparing(done, all) = s { Some((*done, *all)) } else { None })
        .collect();
    assert_eq!(told.last(), Some(&(0, 0)), "{told:?}");
    assert!(told.len() >= 3 && told[..told.len() - 1].is_sorted(), "{told:?}");
    assert!(told.iter().any(|(done, all)| *done > 0 && *all == 10_000), "{told:?}");
    assert!(!snapshots.iter().any(|s| matches!(s, Snapshot::Compared(_))));
    assert_eq!(readings(&snapshots).len(), 1, "the same digit is read once");
}

#[test]
fn a_comparison_of_the_network_in_training_reads_the_set_that_it_trains_on() {
    let first = vec![Command::OwnSet(own::files(120)), Command::Reset(settings("tiny", 25))];
    let mut asked = false;
    let snapshots = run(first, move |snapshot, inbox| match (snapshot, inbox.as_ref()) {
        (Snapshot::Network(status), Some(sender)) if status.network == Network::Yours && !asked => {
            asked = true;
            sender.send(Command::Compare(Network::Yours));
        }
        (Snapshot::Compared(_) | Snapshot::Problem(_), _) => *inbox = None,
        _ => {}
    });
    let compared = snapshots.iter().find_map(|s| if let Snapshot::Compared(c) = s { Some(c) } else { None });
    let compared = compared.expect("a comparison");
    assert_eq!((&compared.network, compared.step, compared.own), (&Network::Yours, 0, Procedure::Dynamic));
    assert_eq!((compared.total, compared.sizes, compared.threshold), (20, [36, 10], 0.05));
    let rounds = |procedure| compared.rounds.iter().filter(|round| round.procedure == procedure).count();
    let counts = Procedure::ALL.map(rounds);
    assert_eq!(counts, [10, 10, 1, 1, 0, 0], "what learns beside the votes takes no part");
    assert!(
        compared.rounds.iter().all(|round| round.correct <= 20 && round.changed <= 20 && round.entropy.is_finite())
    );
}
