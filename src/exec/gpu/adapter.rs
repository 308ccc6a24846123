//! What an adapter is called, and whether it is a GPU at all.

use super::Adapter;

/// Parts of names of adapters that compute on the processor.
const SOFTWARE: [&str; 4] = ["swiftshader", "llvmpipe", "lavapipe", "basic render"];

pub(super) async fn describe(adapter: &wgpu::Adapter) -> Adapter {
    let info = adapter.get_info();
    let name = if info.name.is_empty() { browser_name().await } else { info.name };
    let known = name.to_lowercase();
    let is_software = info.device_type == wgpu::DeviceType::Cpu || SOFTWARE.iter().any(|part| known.contains(part));
    Adapter { name, is_software }
}

/// Browsers leave the description empty and say vendor and architecture instead, which wgpu does not pass on.
#[cfg(target_arch = "wasm32")]
async fn browser_name() -> String {
    vendor_and_architecture().await.unwrap_or_default()
}

#[cfg(target_arch = "wasm32")]
async fn vendor_and_architecture() -> Option<String> {
    use js_sys::{Function, Promise, Reflect};
    use wasm_bindgen::JsCast;
    let field = |object: &wasm_bindgen::JsValue, name: &str| Reflect::get(object, &name.into()).ok();
    let gpu = field(&field(&js_sys::global(), "navigator")?, "gpu")?;
    let request: Function = field(&gpu, "requestAdapter")?.dyn_into().ok()?;
    let promise: Promise = request.call0(&gpu).ok()?.dyn_into().ok()?;
    let adapter = wasm_bindgen_futures::JsFuture::from(promise).await.ok()?;
    let info = field(&adapter, "info")?;
    let words = ["vendor", "architecture"].map(|name| field(&info, name).and_then(|word| word.as_string()));
    Some(words.into_iter().flatten().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}

#[cfg(not(target_arch = "wasm32"))]
async fn browser_name() -> String {
    String::from("unnamed adapter")
}
