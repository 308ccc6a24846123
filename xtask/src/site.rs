//! The folder that a static host serves: the page in dist/ with the engine's files named by their content, a content
//! security policy, what the host is to send with each file, and a compressed copy beside each file that gains by it.

use crate::{environment::Environment, page, process::ask, workspace::Workspace};
use anyhow::{Context, Result, bail};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};
use walkdir::WalkDir;
use wasmparser::{Validator, WasmFeatures};

/// Bytes that may be fetched before the first true picture, compressed as a host sends them.
const MOST_BYTES: u64 = 3_000_000;

/// Kinds of files that are worth compressing, by their endings.
const COMPRESSIBLE: [&str; 6] = ["html", "js", "wasm", "json", "safetensors", "svg"];

/// What is fetched before the first true picture besides the document and the programs.
const FIRST_ASSETS: [&str; 4] = [
    "assets/gallery/images-idx3-ubyte.gz",
    "assets/gallery/labels-idx1-ubyte.gz",
    "assets/gallery/places.json",
    "assets/networks/compact.safetensors",
];

/// Builds the page and makes the folder `public/`.
pub fn dist(workspace: &Workspace) -> Result<()> {
    page::build(workspace)?;
    package(workspace)
}

/// Makes `public/` of what is in dist/.
pub fn package(workspace: &Workspace) -> Result<()> {
    let (from, site) = (workspace.root.join("dist"), workspace.public());
    if !from.join("index.html").is_file() {
        bail!("dist/ holds no page: run `cargo xtask build` first");
    }
    if site.exists() {
        fs::remove_dir_all(&site).with_context(|| format!("{} cannot be emptied", site.display()))?;
    }
    copy(&from, &site)?;
    for path in files(&site).iter().filter(|path| path.extension().is_some_and(|ending| ending == "wasm")) {
        plain(&read(path)?).with_context(|| format!("{} would not start everywhere", path.display()))?;
    }
    let engine = name_engine(&site)?;
    edit(&site.join("offline.js"), |text| with_engine(&text, &engine))?;
    let root = workspace.root.to_string_lossy();
    // An archive of the sources knows no commit; the page then shows its version alone.
    let commit =
        ask(&Environment::default(), "git", &["-C", &root, "rev-parse", "--short=10", "HEAD"]).unwrap_or_default();
    let mut policy = String::new();
    edit(&site.join("index.html"), |document| {
        policy = self::policy(&document);
        with_head(&document, &policy, commit.trim())
    })?;
    write(&site.join("_headers"), headers(&policy, &engine).as_bytes())?;
    compress(&site)?;
    report(&site, &engine)
}

/// Refuses a program that asks for more than every browser since 2023 has: vectors of 128 bits, and WebAssembly 2.0
/// otherwise. A function that is never called counts too.
fn plain(program: &[u8]) -> Result<()> {
    let features = WasmFeatures::WASM2;
    Validator::new_with_features(features).validate_all(program)?;
    Ok(())
}

/// The engine's files by the names that their content gives them.
struct EngineNames {
    script: String,
    wasm: String,
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in WalkDir::new(from) {
        let entry = entry.with_context(|| format!("{} cannot be read", from.display()))?;
        let target = to.join(entry.path().strip_prefix(from)?);
        let done = if entry.file_type().is_dir() {
            fs::create_dir_all(&target)
        } else {
            fs::copy(entry.path(), &target).map(drop)
        };
        done.with_context(|| format!("{} cannot be made", target.display()))?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("{} cannot be read", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).with_context(|| format!("{} cannot be written", path.display()))
}

fn edit(path: &Path, change: impl FnOnce(String) -> Result<String>) -> Result<()> {
    let text = String::from_utf8(read(path)?).with_context(|| format!("{} is no text", path.display()))?;
    write(path, change(text)?.as_bytes())
}

/// Renames the engine's script and program, and has its loader ask for them by their new names.
fn name_engine(site: &Path) -> Result<EngineNames> {
    let (script, wasm) = (site.join("engine.js"), site.join("engine_bg.wasm"));
    let digest = Sha256::digest([read(&script)?, read(&wasm)?].concat());
    let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let names = EngineNames { script: format!("engine-{hash}.js"), wasm: format!("engine-{hash}_bg.wasm") };
    for (old, new) in [(&script, &names.script), (&wasm, &names.wasm)] {
        fs::rename(old, site.join(new)).with_context(|| format!("{} cannot be renamed", old.display()))?;
    }
    edit(&site.join("engine_loader.js"), |text| with_engine(&text, &names))?;
    Ok(names)
}

/// A text in which the engine's two files have their new names; each has to be in it.
fn with_engine(text: &str, names: &EngineNames) -> Result<String> {
    let mut text = text.to_string();
    for (old, new) in [("engine.js", &names.script), ("engine_bg.wasm", &names.wasm)] {
        if !text.contains(old) {
            bail!("{old} is not asked for where it should be; Trunk's loader may have changed");
        }
        text = text.replace(old, new);
    }
    Ok(text)
}

/// The text of each script that stands in the document itself.
fn inline_scripts(document: &str) -> impl Iterator<Item = &str> {
    document.split("<script").skip(1).filter_map(|rest| {
        let (attributes, rest) = rest.split_once('>')?;
        let (script, _) = rest.split_once("</script>")?;
        (!attributes.contains("src=")).then_some(script)
    })
}

/// What the page may do: its own files, its own scripts, WebAssembly; no evaluation of text, no other origin, no form.
/// Styles may stand in the document, since Trunk puts them there and charts set widths and heights.
fn policy(document: &str) -> String {
    let hashes: Vec<String> = inline_scripts(document)
        .map(|script| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script.as_bytes()))))
        .collect();
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' {}; worker-src 'self'; connect-src 'self'; \
         img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
}

/// The document with its policy and the commit that it was built from, before anything else in its head.
fn with_head(document: &str, policy: &str, commit: &str) -> Result<String> {
    let charset = "<meta charset=\"utf-8\" />";
    let (before, after) = document.split_once(charset).context("index.html names no charset any more")?;
    Ok(format!(
        "{before}{charset}\n    <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\" />\n    \
         <meta name=\"capscope-commit\" content=\"{commit}\" />{after}"
    ))
}

/// What the host is to send, in the form that Netlify and Cloudflare Pages read. A worker has no document: its policy
/// comes with its script or not at all.
fn headers(policy: &str, engine: &EngineNames) -> String {
    let forever = "  Cache-Control: public, max-age=31536000, immutable\n";
    let mut text = format!(
        "/*\n  Content-Security-Policy: {policy}; frame-ancestors *\n  X-Content-Type-Options: nosniff\n  \
         Referrer-Policy: no-referrer\n  Cache-Control: no-cache\n"
    );
    for name in ["/capscope-*.js", "/capscope-*.wasm", &format!("/{}", engine.script), &format!("/{}", engine.wasm)] {
        text.push_str(&format!("{name}\n  ! Cache-Control\n{forever}"));
    }
    text
}

fn files(site: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(site).sort_by_file_name().into_iter().filter_map(Result::ok);
    entries.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

/// The path with another ending behind its own.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Writes a `.gz` and a `.br` beside each file that becomes smaller by it.
fn compress(site: &Path) -> Result<()> {
    for path in files(site) {
        if !path.extension().is_some_and(|ending| COMPRESSIBLE.iter().any(|known| ending == *known)) {
            continue;
        }
        let bytes = read(&path)?;
        let mut gzip = GzEncoder::new(vec![], Compression::best());
        gzip.write_all(&bytes)?;
        let mut brotli = vec![];
        let parameters = brotli::enc::BrotliEncoderParams { quality: 9, lgwin: 22, ..Default::default() };
        brotli::BrotliCompress(&mut bytes.as_slice(), &mut brotli, &parameters)?;
        for (ending, packed) in [(".gz", gzip.finish()?), (".br", brotli)] {
            if packed.len() < bytes.len() {
                write(&beside(&path, ending), &packed)?;
            }
        }
    }
    Ok(())
}

/// Prints what a visitor fetches, and refuses more than is to be fetched before the first picture.
fn report(site: &Path, engine: &EngineNames) -> Result<()> {
    let size = |path: &Path| fs::metadata(path).map_or(0, |about| about.len());
    println!("{:<44} {:>11} {:>11} {:>11}", "file", "bytes", "gzip", "brotli");
    let mut first = 0;
    for path in files(site) {
        if path.extension().is_some_and(|ending| ending == "br" || ending == "gz") && beside_of(&path) {
            continue;
        }
        let name = path.strip_prefix(site)?.to_string_lossy().replace('\\', "/");
        let [bytes, gzip, brotli] = [size(&path), size(&beside(&path, ".gz")), size(&beside(&path, ".br"))];
        let packed = |size: u64| if size > 0 { size.to_string() } else { "–".into() };
        println!("{name:<44} {bytes:>11} {:>11} {:>11}", packed(gzip), packed(brotli));
        let is_first = name.starts_with("capscope-")
            || ["index.html", "engine_loader.js", &engine.script, &engine.wasm].contains(&name.as_str())
            || FIRST_ASSETS.contains(&name.as_str());
        if is_first {
            first += if gzip > 0 { gzip } else { bytes };
        }
    }
    println!("before the first picture, gzipped: {first} of at most {MOST_BYTES} bytes");
    if first > MOST_BYTES {
        bail!("a visitor would fetch {first} bytes before the first picture; at most {MOST_BYTES} are to be");
    }
    Ok(())
}

/// Whether a file is the compressed copy of the one beside it.
fn beside_of(path: &Path) -> bool {
    path.with_extension("").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "<head><meta charset=\"utf-8\" /></head><script type=\"module\">one</script>\
        <script src=\"./x.js\"></script><script>two</script>";

    fn names() -> EngineNames {
        EngineNames { script: "engine-0a.js".into(), wasm: "engine-0a_bg.wasm".into() }
    }

    #[test]
    fn the_policy_names_each_script_of_the_document_by_its_hash_and_allows_no_evaluation_of_text() {
        assert_eq!(inline_scripts(DOCUMENT).collect::<Vec<_>>(), ["one", "two"]);
        let policy = policy(DOCUMENT);
        // `printf one | openssl dgst -sha256 -binary | base64`
        assert!(policy.contains("'sha256-dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0='"), "{policy}");
        assert_eq!(policy.matches("'sha256-").count(), 2);
        assert!(policy.contains("'wasm-unsafe-eval'") && !policy.contains("'unsafe-eval'"));
    }

    #[test]
    fn a_program_that_asks_for_relaxed_vectors_is_refused() {
        // A function of no parameters that makes the largest of two vectors, drops it and ends.
        let program = |operation: &[u8]| {
            let vector: &[u8] = &[&[0xfd, 0x0c][..], &[0; 16]].concat();
            let body = [&[0x00][..], vector, vector, operation, &[0x1a, 0x0b]].concat();
            let code = [&[0x01, body.len() as u8][..], &body].concat();
            let head = [0, b'a', b's', b'm', 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, code.len() as u8];
            [&head[..], &code].concat()
        };
        plain(&program(&[0xfd, 0xe9, 0x01])).expect("f32x4.max");
        let error = plain(&program(&[0xfd, 0x8e, 0x02])).expect_err("f32x4.relaxed_max").to_string();
        assert!(error.contains("relaxed SIMD"), "{error}");
    }

    #[test]
    fn the_head_gets_the_policy_and_the_commit() {
        let document = with_head(DOCUMENT, "default-src 'none'", "0123456789").unwrap();
        assert!(document.contains("content=\"default-src 'none'\"") && document.contains("content=\"0123456789\""));
        assert!(with_head("<head></head>", "", "").is_err());
    }

    #[test]
    fn the_loader_asks_for_the_engine_by_its_new_name_and_a_strange_loader_is_refused() {
        let loader = "importScripts(\"./engine.js\");wasm_bindgen(\"./engine_bg.wasm\");";
        let renamed = with_engine(loader, &names()).unwrap();
        assert_eq!(renamed, "importScripts(\"./engine-0a.js\");wasm_bindgen(\"./engine-0a_bg.wasm\");");
        assert!(with_engine("importScripts(\"./other.js\");", &names()).is_err());
    }

    #[test]
    fn what_has_its_content_in_its_name_is_kept_for_good_and_the_rest_is_asked_for_again() {
        let text = headers("p", &names());
        assert_eq!(text.matches("immutable").count(), 4);
        assert!(text.contains("/engine-0a.js\n") && text.starts_with("/*\n") && text.contains("no-cache"));
    }
}
