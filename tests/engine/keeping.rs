//! What is kept of training over a reload, with storage in memory: an engine that ends and another one that begins.

use super::host::{Shelf, run_with, settings};
use capscope::engine::Inbox;
use capscope::protocol::{Command, CurvePoint, Keeping, Snapshot, TrainingSettings, TrainingState, TrainingStatus};
use std::collections::VecDeque;
use std::rc::Rc;

fn statuses(snapshots: &[Snapshot]) -> Vec<&TrainingStatus> {
    snapshots.iter().filter_map(|s| if let Snapshot::Training(status) = s { Some(status) } else { None }).collect()
}

fn keepings(snapshots: &[Snapshot]) -> Vec<&Keeping> {
    snapshots.iter().filter_map(|s| if let Snapshot::Keeping(keeping) = s { Some(keeping) } else { None }).collect()
}

/// All steps that were told, by number.
fn curve(snapshots: &[Snapshot]) -> Vec<CurvePoint> {
    let mut all: Vec<CurvePoint> = vec![];
    for snapshot in snapshots {
        match snapshot {
            Snapshot::History(points, _) => all = points.clone(),
            Snapshot::Curve(points) => all.extend(points),
            _ => {}
        }
    }
    all
}

/// Sends the next of some commands at each kept state, and ends after the last.
fn at_each_kept(commands: Vec<Command>) -> impl FnMut(&Snapshot, &mut Option<Inbox>) {
    let mut commands = VecDeque::from(commands);
    move |snapshot, inbox| {
        if matches!(snapshot, Snapshot::Keeping(Keeping::Kept(step, _)) if *step > 0) {
            match (commands.pop_front(), inbox.as_ref()) {
                (Some(command), Some(inbox)) => inbox.send(command),
                _ => *inbox = None,
            }
        }
    }
}

fn quick() -> TrainingSettings {
    TrainingSettings { seed: 7, ..settings("tiny", 4) }
}

#[test]
fn a_reload_goes_on_as_if_there_had_been_none() {
    let steps = |count: usize| vec![Command::Step; count];
    let first = vec![Command::Restore, Command::Reset(quick()), Command::Step];
    let whole = run_with(Rc::default(), first.clone(), at_each_kept(steps(5)));

    let shelf = Rc::new(Shelf::default());
    let before = run_with(shelf.clone(), first, at_each_kept(steps(2)));
    assert_eq!(curve(&before).len(), 3);
    shelf.let_go();
    let after = run_with(shelf, vec![Command::Restore, Command::Step], at_each_kept(steps(2)));
    assert!(matches!(keepings(&after)[0], Keeping::Restored(3, date) if *date == 1.8e12));
    assert_eq!(statuses(&after)[0].settings, quick());
    assert_eq!(curve(&after), curve(&whole), "the same losses to the bit");
    assert_eq!(curve(&after).len(), 6);
}

#[test]
fn a_step_under_way_is_done_anew_after_a_reload() {
    // At batch 1024 a pause comes in the middle of a step.
    let large = TrainingSettings { seed: 2, ..settings("tiny", 1024) };
    let shelf = Rc::new(Shelf::default());
    let first = vec![Command::Restore, Command::Reset(large.clone()), Command::Train, Command::Pause];
    let mut paused = false;
    run_with(shelf.clone(), first, move |snapshot, inbox| {
        paused |=
            matches!(snapshot, Snapshot::Training(status) if status.state == TrainingState::Paused && status.step == 0);
        if paused && matches!(snapshot, Snapshot::Keeping(Keeping::Kept(0, _))) {
            *inbox = None;
        }
    });
    shelf.let_go();
    let after = run_with(shelf, vec![Command::Restore, Command::Step], at_each_kept(vec![]));
    let whole =
        run_with(Rc::default(), vec![Command::Restore, Command::Reset(large), Command::Step], at_each_kept(vec![]));
    assert_eq!(curve(&after), curve(&whole));
}

#[test]
fn a_second_tab_does_not_write_before_it_is_told_to() {
    let shelf = Rc::new(Shelf::default());
    let first = vec![Command::Restore, Command::Reset(quick()), Command::Step];
    run_with(shelf.clone(), first.clone(), at_each_kept(vec![]));
    let kept = shelf.values.borrow().clone();

    shelf.held_elsewhere();
    let other = vec![Command::Restore, Command::Reset(TrainingSettings { seed: 8, ..quick() }), Command::Step];
    let mut asked = false;
    let unchanged = (shelf.clone(), kept.clone());
    let second = run_with(shelf.clone(), other, move |snapshot, inbox| match snapshot {
        Snapshot::Training(status) if status.step == 1 && !asked => {
            asked = true;
            assert_eq!(*unchanged.0.values.borrow(), unchanged.1, "nothing was written");
            inbox.as_ref().expect("a tab").send(Command::KeepHere);
        }
        Snapshot::Keeping(Keeping::Kept(..)) => *inbox = None,
        _ => {}
    });
    assert_eq!(*keepings(&second)[0], Keeping::Elsewhere);
    assert_ne!(*shelf.values.borrow(), kept);
}

#[test]
fn a_tab_that_loses_the_storage_says_so_and_trains_on() {
    let shelf = Rc::new(Shelf::default());
    let thief = shelf.clone();
    let first = vec![Command::Restore, Command::Reset(quick()), Command::Step];
    let snapshots = run_with(shelf.clone(), first, move |snapshot, inbox| match snapshot {
        Snapshot::Keeping(Keeping::Kept(1, _)) => thief.take_over(),
        Snapshot::Keeping(Keeping::Elsewhere) => inbox.as_ref().expect("a tab").send(Command::Step),
        Snapshot::Training(status) if status.state == TrainingState::Paused && status.step == 2 => *inbox = None,
        _ => {}
    });
    assert_eq!(*keepings(&snapshots)[2], Keeping::Elsewhere);
    assert_eq!(curve(&snapshots).len(), 2);
}

#[test]
fn what_cannot_be_kept_or_taken_is_said_and_training_goes_on() {
    let shelf = Rc::new(Shelf::default());
    shelf.refusal.replace(Some("this window is private".into()));
    let first = vec![Command::Restore, Command::Reset(quick()), Command::Step];
    let until_step = |snapshot: &Snapshot, inbox: &mut Option<Inbox>| {
        if matches!(snapshot, Snapshot::Training(status) if status.step == 1 && status.state == TrainingState::Paused) {
            *inbox = None;
        }
    };
    let snapshots = run_with(shelf.clone(), first.clone(), until_step);
    assert_eq!(keepings(&snapshots), [&Keeping::Impossible("this window is private".into())]);

    shelf.refusal.replace(None);
    run_with(shelf.clone(), first.clone(), at_each_kept(vec![]));
    for (key, value) in shelf.values.borrow_mut().iter_mut() {
        if key.ends_with("record") {
            *value = br#"{"format":0}"#.to_vec();
        }
    }
    shelf.let_go();
    let snapshots = run_with(shelf, first, until_step);
    assert!(matches!(keepings(&snapshots)[0], Keeping::Refused(why) if why.contains("format 0")));
}

#[test]
fn a_rate_that_breaks_the_network_stops_it_and_the_last_good_state_comes_back() {
    let first = vec![Command::Restore, Command::Reset(quick()), Command::Step];
    let (mut broken, mut back) = (false, false);
    let snapshots = run_with(Rc::default(), first, move |snapshot, inbox| {
        let Some(sender) = inbox.as_ref() else { return };
        match snapshot {
            Snapshot::Keeping(Keeping::Kept(1, _)) if !broken => {
                broken = true;
                sender.send(Command::SetRate(1e39));
                sender.send(Command::Train);
            }
            Snapshot::Training(status) if matches!(status.state, TrainingState::Stopped(_)) && !back => {
                back = true;
                assert_eq!(status.back_to, Some(1));
                sender.send(Command::GoBack);
            }
            Snapshot::Training(status) if back && status.state == TrainingState::Paused => {
                assert_eq!((status.step, status.settings.rate), (1, quick().rate));
                *inbox = None;
            }
            _ => {}
        }
    });
    let stopped = statuses(&snapshots).into_iter().find_map(|status| match &status.state {
        TrainingState::Stopped(why) => Some(why),
        _ => None,
    });
    assert!(stopped.is_some_and(|why| why.contains("not a finite number")));
    assert_eq!(curve(&snapshots).len(), 1, "the curve is that of the state that came back");
}
