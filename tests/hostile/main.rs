//! Files from strangers: whatever their bytes, the answer is a value or a sentence, never a panic, and takes no more
//! memory than the file justifies. `PROPTEST_CASES=100000 cargo test --release --test hostile` looks longer.

use capscope::data::{Own, idx};
use capscope::train::weights;
use peak_alloc::PeakAlloc;
use proptest::prelude::*;
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Memory is counted for the whole program: one reader at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Deflate cannot pack more bytes into one.
const DEFLATE: usize = 1032;

/// What a reader may take however small its file is: tables of a decoder, words of an error.
const BASE: usize = 2 << 20;

/// Runs a reader, and says how many bytes it held at most beyond what was held before.
fn peak<T>(read: impl FnOnce() -> T) -> (T, usize) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let value = read();
    (value, MEMORY.peak_usage().saturating_sub(before))
}

/// An error that a person can act on: words, a verb's length at least, no debugging output.
fn is_a_sentence(error: &str) -> bool {
    error.split_whitespace().count() >= 4 && !error.contains("unwrap") && !error.contains("Error {")
}

/// A change of a file's bytes.
#[derive(Clone, Debug)]
enum Damage {
    Flip(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Insert(prop::sample::Index, Vec<u8>),
    /// Four bytes that may be a size.
    Size(prop::sample::Index, u32),
    /// The digits of a number in text become others.
    Number(prop::sample::Index, u64),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    let sizes = prop_oneof![Just(0), Just(1), Just(u32::MAX), Just(1 << 31), any::<u32>()];
    let numbers = prop_oneof![Just(0), Just(u64::MAX), Just(1 << 32), any::<u64>(), 0..2000u64];
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        at().prop_map(Damage::Cut),
        (at(), prop::collection::vec(any::<u8>(), 1..40)).prop_map(|(at, more)| Damage::Insert(at, more)),
        (at(), sizes).prop_map(|(at, size)| Damage::Size(at, size)),
        (at(), numbers).prop_map(|(at, number)| Damage::Number(at, number)),
    ]
}

/// A file after some damage, most of it near its start, where headers are.
fn damaged(mut bytes: Vec<u8>, header: usize, damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        if bytes.is_empty() {
            break;
        }
        let reach = bytes.len().min(header);
        match damage {
            Damage::Flip(at, byte) => bytes[at.index(reach)] ^= byte,
            Damage::Cut(at) => bytes.truncate(at.index(bytes.len())),
            Damage::Insert(at, more) => {
                let at = at.index(reach);
                bytes.splice(at..at, more.iter().copied());
            }
            Damage::Size(at, size) => {
                let at = at.index(reach);
                let end = (at + 4).min(bytes.len());
                bytes[at..end].copy_from_slice(&size.to_be_bytes()[..end - at]);
            }
            Damage::Number(at, number) => {
                let at = at.index(reach);
                if let Some(start) = bytes[at..reach].iter().position(u8::is_ascii_digit).map(|offset| at + offset) {
                    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                    bytes.splice(start..start + digits, number.to_string().into_bytes());
                }
            }
        }
    }
    bytes
}

fn asset(path: &str) -> Vec<u8> {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(path);
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn gunzipped(bytes: &[u8]) -> Vec<u8> {
    let mut plain = vec![];
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(bytes), &mut plain).expect("an asset is whole");
    plain
}

/// The small safetensors header of a file, made consistent again after its text was changed.
fn with_header(header: &[u8], rest: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header, rest].concat()
}

fn damages() -> impl Strategy<Value = Vec<Damage>> {
    prop::collection::vec(damage(), 1..6)
}

proptest! {
    #[test]
    fn idx_files(packed in any::<bool>(), of_labels in any::<bool>(), damages in damages()) {
        let name = if of_labels { "gallery/labels-idx1-ubyte.gz" } else { "gallery/images-idx3-ubyte.gz" };
        let file = if packed { asset(name) } else { gunzipped(&asset(name)) };
        let file = damaged(file, 64, &damages);
        for reads_labels in [false, true] {
            let (error, peak) = peak(|| {
                if reads_labels { idx::read_labels(&file).err() } else { idx::read_images(&file).err() }.map(|e| e.to_string())
            });
            prop_assert!(error.as_deref().is_none_or(is_a_sentence), "{error:?}");
            prop_assert!(peak <= BASE + 2 * DEFLATE * file.len(), "{peak} bytes for a file of {}", file.len());
        }
    }

    #[test]
    fn sets_of_files(names in prop::collection::vec("[a-z0-9-]{0,12}", 1..5), damages in damages()) {
        let kinds = ["gallery/images-idx3-ubyte.gz", "gallery/labels-idx1-ubyte.gz"];
        let files = names.iter().enumerate().map(|(place, name)| {
            let whole = asset(kinds[place % 2]);
            (name.clone(), if place == 0 { damaged(whole, 64, &damages) } else { whole })
        });
        let files: Vec<(String, Vec<u8>)> = files.collect();
        let error = Own::from_files(&files).err().map(|error| error.to_string());
        prop_assert!(error.as_deref().is_none_or(is_a_sentence), "{error:?}");
    }

    #[test]
    fn weight_files(keeps_length in any::<bool>(), damages in damages()) {
        let whole = asset("networks/tiny.safetensors");
        let length = u64::from_le_bytes(whole[..8].try_into().expect("eight bytes")) as usize;
        let file = if keeps_length {
            damaged(whole, 8 + length, &damages)
        } else {
            with_header(&damaged(whole[8..8 + length].to_vec(), length, &damages), &whole[8 + length..])
        };
        let (error, peak) = peak(|| weights::from_bytes(&file).err().map(|error| error.to_string()));
        prop_assert!(error.as_deref().is_none_or(is_a_sentence), "{error:?}");
        // Numbers of 16 bits become 32; names, shapes and an error's words are a few times the header.
        prop_assert!(peak <= BASE + 8 * file.len(), "{peak} bytes for a file of {}", file.len());
    }

    #[test]
    fn pictures(format in 0..3usize, damages in damages()) {
        let picture = image::GrayImage::from_fn(40, 30, |x, y| image::Luma([(x * y % 256) as u8]));
        let format = [image::ImageFormat::Png, image::ImageFormat::Jpeg, image::ImageFormat::WebP][format];
        let mut file = std::io::Cursor::new(vec![]);
        // WebP's encoder takes colours only.
        image::DynamicImage::from(picture).to_rgb8().write_to(&mut file, format).expect("a picture");
        let file = damaged(file.into_inner(), 256, &damages);
        let (error, peak) = peak(|| capscope_ink::decode_picture(&file).err().map(|error| error.to_string()));
        prop_assert!(error.as_deref().is_none_or(is_a_sentence), "{error:?}");
        let most = capscope_ink::Gray::MAX_PIXELS as usize * 16;
        prop_assert!(peak <= most, "{peak} bytes for a file of {}", file.len());
    }

    #[test]
    fn bytes_that_are_nothing(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let (errors, peak) = peak(|| {
            [
                idx::read_images(&bytes).err().map(|error| error.to_string()),
                idx::read_labels(&bytes).err().map(|error| error.to_string()),
                weights::from_bytes(&bytes).err().map(|error| error.to_string()),
                capscope_ink::decode_picture(&bytes).err().map(|error| error.to_string()),
            ]
        });
        for error in errors {
            prop_assert!(error.as_deref().is_some_and(is_a_sentence), "{error:?}");
        }
        prop_assert!(peak <= BASE + 2 * DEFLATE * bytes.len(), "{peak} bytes for {}", bytes.len());
    }
}
