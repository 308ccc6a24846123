//! What the page asks for beside single readings: the grid of a pose, many pictures at once, own pictures, the spread.

use super::{exploration, pictures, readings, run, settings};
use capscope::protocol::{
    Command, Exploration, GridRow, Network, NetworkStatus, Pictures, Predictions, Refusal, Snapshot, Survey,
    SurveyRequest, Surveyed,
};
use std::io::Cursor;

fn tiny() -> Network {
    Network::Shipped("tiny".into())
}

fn request(serial: u64, pictures: Pictures) -> SurveyRequest {
    SurveyRequest { serial, survey: Survey::Gallery, network: tiny(), iterations: 3, pictures, decode: true }
}

fn surveyed(snapshots: &[Snapshot]) -> Vec<&Surveyed> {
    snapshots
        .iter()
        .filter_map(|s| if let Snapshot::Surveyed(surveyed) = s { Some(&**surveyed) } else { None })
        .collect()
}

/// The largest distance between two lists of numbers.
fn distance(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

#[test]
fn the_grids_centre_is_the_plain_picture_to_the_bit_and_its_other_columns_are_bent_poses() {
    let offsets: Vec<f32> = (0..11).map(|k| (k as f32 - 5.0) * 0.05).collect();
    let grid = Some(vec![offsets.clone(); 16]);
    let plain = Exploration { grid: grid.clone(), ..exploration(1, Network::Yours) };
    // A bent pose changes neither the grid nor its centre; the picture of dimension 3 at +0.25 is the grid's last one.
    let mut bent = Exploration { serial: 2, ..plain.clone() };
    bent.offsets[3] = offsets[10];
    let first = vec![Command::Reset(settings("tiny", 8)), Command::Explore(plain)];
    let mut bent = Some(bent);
    let snapshots = run(first, move |snapshot, inbox| match snapshot {
        Snapshot::GridRow(row) if row.dimension == 15 => match (bent.take(), inbox.as_ref()) {
            (Some(bent), Some(inbox)) => inbox.send(Command::Explore(bent)),
            _ => *inbox = None,
        },
        Snapshot::Picture(picture) if picture.serial == 2 => *inbox = None,
        _ => {}
    });
    let rows: Vec<&GridRow> =
        snapshots.iter().filter_map(|s| if let Snapshot::GridRow(row) = s { Some(row) } else { None }).collect();
    let pictures = pictures(&snapshots);
    assert_eq!(rows.iter().map(|row| row.dimension).collect::<Vec<_>>(), (0..16).collect::<Vec<_>>());
    assert!(rows.iter().all(|row| row.serial == 1 && row.class == pictures[0].class && row.offsets == offsets));
    let bits = |pixels: &[f32]| pixels.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    for row in &rows {
        let columns: Vec<&[f32]> = row.pixels.chunks_exact(784).collect();
        assert_eq!(columns.len(), 11);
        assert_eq!(bits(columns[5]), bits(&pictures[0].pixels), "dimension {}", row.dimension);
        assert_ne!(columns[0], columns[10]);
    }
    assert_eq!(bits(&rows[3].pixels[10 * 784..]), bits(&pictures[1].pixels));
}

#[test]
fn many_pictures_read_at_once_are_read_as_each_alone() {
    let alone = exploration(1, tiny());
    let shifted: Vec<f32> = alone.pixels[3..].iter().chain(&alone.pixels[..3]).copied().collect();
    let mut many = Vec::new();
    for k in 0..21 {
        many.extend(if k == 7 { &alone.pixels } else { &shifted });
    }
    let sweep = SurveyRequest { survey: Survey::Sweep, ..request(9, Pictures::Given(many)) };
    let first = vec![Command::Explore(alone), Command::Survey(sweep)];
    let snapshots = run(first, |snapshot, inbox| {
        if matches!(snapshot, Snapshot::Surveyed(_)) {
            *inbox = None;
        }
    });
    let (reading, picture) = (readings(&snapshots)[0], pictures(&snapshots)[0]);
    let surveyed = surveyed(&snapshots)[0];
    assert_eq!((surveyed.serial, surveyed.sizes, surveyed.lengths.len()), (9, [10, 16], 210));
    assert_eq!((surveyed.poses.len(), surveyed.digits.indices.len()), (21 * 160, 0));
    assert!(distance(&surveyed.poses[7 * 160..][..160], &reading.poses[2 * 160..]) < 1e-5);
    assert!(distance(&surveyed.lengths[7 * 10..][..10], &reading.lengths[20..]) < 1e-5);
    assert!(distance(&surveyed.reconstructions[7 * 784..][..784], &picture.pixels) < 1e-4);
    assert!(distance(&surveyed.poses[..160], &surveyed.poses[7 * 160..][..160]) > 1e-3);
}

#[test]
fn a_newer_survey_takes_the_place_of_an_older_one_and_the_test_set_comes_when_it_is_needed() {
    let gallery: Vec<u32> = vec![15, 9_999, 0];
    let first = vec![
        Command::Survey(request(1, Pictures::Test((0..40).collect()))),
        Command::Survey(request(2, Pictures::Test(gallery))),
    ];
    let snapshots = run(first, |snapshot, inbox| {
        if matches!(snapshot, Snapshot::Surveyed(_)) {
            *inbox = None;
        }
    });
    let surveyed = surveyed(&snapshots);
    assert_eq!(surveyed.len(), 1);
    assert_eq!((surveyed[0].serial, &surveyed[0].digits.indices), (2, &vec![15, 9_999, 0]));
    // The test set's first labels are 7, 2, 1, 0, 4, …, its last one a 6; number 15 is a 5.
    assert_eq!(surveyed[0].digits.labels, [5, 6, 7]);
    for (label, lengths) in surveyed[0].digits.labels.iter().zip(surveyed[0].lengths.chunks_exact(10)) {
        let longest = (0..10).max_by(|a, b| lengths[*a].total_cmp(&lengths[*b])).unwrap();
        assert_eq!(longest, usize::from(*label));
    }
    // A reconstruction of a well-read digit is nearer to it than to its neighbour.
    let given: Vec<f32> = surveyed[0].digits.pixels.iter().map(|byte| f32::from(*byte) / 255.0).collect();
    let squares = |a: usize, b: usize| {
        let made = &surveyed[0].reconstructions[a * 784..][..784];
        made.iter().zip(&given[b * 784..][..784]).map(|(m, g)| (m - g).powi(2)).sum::<f32>()
    };
    assert!(squares(0, 0) < squares(0, 1) && squares(2, 2) < squares(2, 0));
}

#[test]
fn a_picture_of_dark_ink_is_inverted_and_what_is_none_is_refused_by_its_cause() {
    let picture = image::GrayImage::from_fn(60, 40, |x, y| {
        image::Luma([if (25..33).contains(&x) && (5..35).contains(&y) { 20 } else { 240 }])
    });
    let mut file = Vec::new();
    picture.write_to(&mut Cursor::new(&mut file), image::ImageFormat::Png).unwrap();
    let mut blank = Vec::new();
    image::GrayImage::from_pixel(50, 50, image::Luma([200]))
        .write_to(&mut Cursor::new(&mut blank), image::ImageFormat::Png)
        .unwrap();
    // The header says that it has 60 000 columns.
    let mut huge = file.clone();
    huge[16..20].copy_from_slice(&60_000u32.to_be_bytes());
    let crc = crc32(&huge[12..29]);
    huge[29..33].copy_from_slice(&crc.to_be_bytes());
    let files =
        [file.clone(), blank, huge, b"GIF89a..............".to_vec(), b"no picture".to_vec(), file[..70].to_vec()];
    let commands = files.into_iter().map(Command::ReadPicture).collect();
    let mut left = 6;
    let snapshots = run(commands, move |snapshot, inbox| {
        if matches!(snapshot, Snapshot::OwnPicture(_)) {
            left -= 1;
        }
        if left == 0 {
            *inbox = None;
        }
    });
    let outcomes: Vec<_> = snapshots
        .iter()
        .filter_map(|s| if let Snapshot::OwnPicture(outcome) = s { Some(outcome) } else { None })
        .collect();
    let own = outcomes[0].as_ref().unwrap();
    assert!(own.inverted && own.size == [60, 40] && own.pixels.len() == 784);
    assert!(own.pixels[14 * 28 + 14] > 0.9 && own.pixels[0] == 0.0, "white ink on black");
    assert_eq!(outcomes[1], &Err(Refusal::Blank));
    assert_eq!(outcomes[2], &Err(Refusal::TooLarge(60_000, 40)));
    assert_eq!(outcomes[3], &Err(Refusal::Format("GIF".into())));
    assert_eq!(outcomes[4], &Err(Refusal::NotAPicture));
    assert!(matches!(outcomes[5], Err(Refusal::Damaged(format, _)) if format == "PNG"));
}

/// The checksum of PNG's chunks, ISO 3309.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    })
}

#[test]
fn the_spread_is_measured_in_silence_and_is_the_files() {
    let load = Exploration { pixels: vec![], ..exploration(1, tiny()) };
    let mut asked = false;
    let snapshots = run(vec![Command::Explore(load)], move |snapshot, inbox| match snapshot {
        Snapshot::Network(_) if !asked => {
            asked = true;
            inbox.as_ref().unwrap().send(Command::Spread(tiny()));
        }
        Snapshot::Network(_) => *inbox = None,
        _ => {}
    });
    let statuses: Vec<&NetworkStatus> =
        snapshots.iter().filter_map(|s| if let Snapshot::Network(status) = s { Some(status) } else { None }).collect();
    assert_eq!(statuses.len(), 2);
    assert_eq!(statuses[0].correct, statuses[1].correct);
    assert!(distance(&statuses[0].means, &statuses[1].means) < 1e-3);
    assert!(distance(&statuses[0].deviations, &statuses[1].deviations) < 1e-3);
    assert!(!snapshots.iter().any(|s| matches!(s, Snapshot::Evaluating(..) | Snapshot::Evaluated(_))));
    let predictions: Vec<&Predictions> =
        snapshots.iter().filter_map(|s| if let Snapshot::Predictions(p) = s { Some(p) } else { None }).collect();
    let right = predictions[0].labels.iter().zip(&predictions[0].predictions).filter(|(label, read)| label == read);
    assert_eq!((predictions[0].labels.len(), Some(right.count() as u32)), (10_000, statuses[1].correct));
}
