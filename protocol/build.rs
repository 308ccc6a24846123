//! Names the protocol by its sources, so that page and engine know whether they speak the same one.

use std::path::Path;

/// FNV-1a (Fowler, Noll, Vo): the same number for the same bytes with any compiler.
fn fold(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

fn main() {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("src");
    println!("cargo::rerun-if-changed=src");
    let entries = std::fs::read_dir(&folder).expect("the sources are here");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let hash = files.iter().fold(0xcbf2_9ce4_8422_2325, |hash, file| {
        let text = std::fs::read_to_string(file).expect("sources are text");
        // A checkout may end its lines in its own way.
        fold(hash, text.replace('\r', "").as_bytes())
    });
    println!("cargo::rustc-env=CAPSCOPE_PROTOCOL={hash:016x}");
}
