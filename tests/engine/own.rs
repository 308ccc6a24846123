//! Training and testing on an own set, and finding it again after a reload.

use super::host::{Shelf, run_with, settings};
use capscope::protocol::{Command, Keeping, Snapshot, TrainingSettings};
use std::rc::Rc;

/// Two IDX files of `count` images whose upper rows are filled, the more the higher the class.
pub fn files(count: u32) -> Vec<(String, Vec<u8>)> {
    let class = |k: u32| k % 4;
    let (mut images, mut labels) = (vec![0, 0, 8, 3], vec![0, 0, 8, 1]);
    [count, 28, 28].iter().for_each(|n| images.extend(n.to_be_bytes()));
    labels.extend(count.to_be_bytes());
    for k in 0..count {
        images.extend((0..784).map(|pixel| if pixel / 28 < 4 + 6 * class(k) { 255u8 } else { 0 }));
        labels.push(class(k) as u8);
    }
    vec![("bars-images".into(), images), ("bars-labels".into(), labels)]
}

#[test]
fn an_own_set_is_trained_and_tested_on_and_survives_a_reload() {
    let shelf = Rc::new(Shelf::default());
    let short = TrainingSettings { epochs: 2, ..settings("tiny", 25) };
    let first = vec![Command::Restore, Command::OwnSet(files(120)), Command::Reset(short), Command::Train];
    let before = run_with(shelf.clone(), first, |snapshot, inbox| {
        if matches!(snapshot, Snapshot::Evaluated(test) if test.step == 8) {
            *inbox = None;
        }
    });
    let data = before.iter().find_map(|s| if let Snapshot::Data(data) = s { Some(data) } else { None });
    let data = data.expect("the set is named");
    assert_eq!((data.own.as_deref(), data.train, data.test, data.is_held_out), (Some("bars-images"), 100, 20, true));
    let tests: Vec<_> = before
        .iter()
        .filter_map(|s| if let Snapshot::Evaluated(test) = s { Some((test.step, test.total)) } else { None })
        .collect();
    assert_eq!(tests, [(4, 20), (8, 20)], "100 images are four steps of 25, and 20 are tested on");

    shelf.let_go();
    let after = run_with(shelf.clone(), vec![Command::Restore], |snapshot, inbox| {
        if matches!(snapshot, Snapshot::Keeping(_)) {
            *inbox = None;
        }
    });
    assert!(after.contains(&Snapshot::Data(data.clone())));
    assert!(after.iter().any(|s| matches!(s, Snapshot::Keeping(Keeping::Restored(8, _)))), "{after:?}");

    shelf.values.borrow_mut().remove("own set");
    shelf.let_go();
    let lost = run_with(shelf, vec![Command::Restore], |snapshot, inbox| {
        if matches!(snapshot, Snapshot::Keeping(_)) {
            *inbox = None;
        }
    });
    let refused = |s: &Snapshot| matches!(s, Snapshot::Keeping(Keeping::Refused(why)) if why.contains("bars-images"));
    assert!(lost.iter().any(refused));
}

#[test]
fn a_refused_set_leaves_what_was_there() {
    let commands = vec![Command::OwnSet(files(120)[..1].to_vec()), Command::OwnSet(files(30))];
    let mut problems = 0;
    let snapshots = run_with(Rc::default(), commands, move |snapshot, inbox| {
        problems += usize::from(matches!(snapshot, Snapshot::Problem(_)));
        if problems == 2 {
            *inbox = None;
        }
    });
    assert!(!snapshots.iter().any(|s| matches!(s, Snapshot::Data(_))));
    let said: Vec<_> =
        snapshots.iter().filter_map(|s| if let Snapshot::Problem(p) = s { Some(p) } else { None }).collect();
    assert!(said[0].contains("choose them together") && said[1].contains("30 images"), "{said:?}");
}
