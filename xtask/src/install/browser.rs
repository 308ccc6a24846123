//! A Chromium for the browser tests: the machine's own, the distribution's, or Playwright's.

use super::{Setup, say};
use crate::process::{ask, run_quietly};
use anyhow::{Result, bail};
use std::{env, path::PathBuf, time::Duration};

/// Names under which Chromium and its relatives are installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC_CHROME: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
/// Playwright's own download is some 170 MB.
const DOWNLOAD_LIMIT: Duration = Duration::from_secs(600);

/// Makes sure of a browser and notes where it is.
pub fn ensure(setup: &mut Setup) -> Result<()> {
    if let Some(stated) = env::var_os("CAPSCOPE_BROWSER").map(PathBuf::from) {
        if !stated.is_file() {
            bail!("CAPSCOPE_BROWSER names {}, which is no file: unset or correct it", stated.display());
        }
        setup.browser = Some(stated);
        return Ok(());
    }
    setup.browser = find(setup);
    if setup.browser.is_some() {
        return Ok(());
    }
    let Err(cause) = setup.apt.ensure(&["chromium"], "a browser is needed for the browser tests") else {
        setup.browser = find(setup);
        if setup.browser.is_some() {
            return Ok(());
        }
        bail!(
            "the package chromium is installed, but `chromium --version` does not run: name a Chromium in CAPSCOPE_BROWSER"
        );
    };
    say(&format!("fetching Playwright's Chromium, since {cause:#}"));
    super::node::ensure(setup)?;
    let folder = setup.workspace.end_to_end();
    let arguments = ["--prefix", &folder.to_string_lossy(), "exec", "--", "playwright", "install", "chromium"];
    // Left without a path, the tests take the browser that Playwright keeps for itself.
    match run_quietly(&setup.native, "npm", &arguments, DOWNLOAD_LIMIT) {
        Ok(_) => Ok(()),
        Err(error) => bail!("no browser is to be had ({error:#}): install Chromium or name one in CAPSCOPE_BROWSER"),
    }
}

/// The first browser that starts. Some distributions install a script that only says where to get one.
fn find(setup: &Setup) -> Option<PathBuf> {
    NAMES
        .into_iter()
        .chain([MAC_CHROME])
        .filter(|name| ask(&setup.native, name, &["--version"]).is_some_and(|text| text.contains("Chrom")))
        .find_map(|name| setup.native.find(name))
}
