//! Which kernels were fastest on this machine's adapters, kept from one run to the next in the user's cache folder.

use capscope::exec::Device;
use capscope::exec::gpu::{Choices, Tuning};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;

/// Choices by adapter. The version is part of the name, since another one may have other kernels.
type Cache = BTreeMap<String, Choices>;

fn path() -> Option<PathBuf> {
    let named = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || named("HOME").map(|home| home.join(".cache"));
    let folder = named("XDG_CACHE_HOME").or_else(|| named("LOCALAPPDATA")).or_else(home)?;
    Some(folder.join("capscope").join(concat!("kernels-", env!("CARGO_PKG_VERSION"), ".json")))
}

/// What is in the cache; nothing if there is none or it cannot be read, since all of it can be measured again.
fn cached() -> Cache {
    path()
        .and_then(|path| fs::read(path).ok())
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

/// Sets how kernels are chosen, with what is known from earlier runs.
pub fn begin(device: &Device, wanted: &str) {
    let Device::Gpu(context) = device else { return };
    context.set_tuning(match wanted {
        "measured" => Tuning::Measured,
        "guessed" => Tuning::Guessed,
        name => Tuning::Forced(name.into()),
    });
    context.adopt(cached().remove(device.name()).unwrap_or_default());
}

/// Keeps what was found, if there is anything new and a place for it.
pub fn end(device: &Device) {
    let (Device::Gpu(context), Some(path)) = (device, path()) else { return };
    let mut cache = cached();
    let choices = context.choices();
    if cache.get(device.name()).unwrap_or(&Choices::new()) == &choices {
        return;
    }
    cache.insert(device.name().into(), choices);
    let json = serde_json::to_vec_pretty(&cache).expect("plain data always serialises");
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, json));
    if let Err(error) = written {
        eprintln!("capscope-cli: {} cannot be written ({error}): kernels are measured again next time", path.display());
    }
}
