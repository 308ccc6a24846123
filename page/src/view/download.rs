//! Files for the person to keep. Nothing leaves the machine: the browser is handed the bytes under a name.

use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// Tensors.
pub const SAFETENSORS: &str = "application/octet-stream";

/// Numbers as text.
pub const CSV: &str = "text/csv";

/// Drawings.
pub const SVG: &str = "image/svg+xml";

/// How long the browser may take to begin with a file before its address is given back.
const GRACE: Duration = Duration::from_secs(20);

/// Lets the browser save bytes as a file of that name, as a click on a link with `download` does.
pub fn save(name: &str, mime: &str, bytes: &[u8]) {
    let parts = Array::of1(&Uint8Array::from(bytes));
    let kind = BlobPropertyBag::new();
    kind.set_type(mime);
    // Each of these fails only where there is no memory for a copy; then the browser has said so itself.
    let Ok(blob) = Blob::new_with_u8_array_sequence_and_options(&parts, &kind) else { return };
    let Ok(address) = Url::create_object_url_with_blob(&blob) else { return };
    if let Ok(element) = document().create_element("a") {
        let link: HtmlAnchorElement = element.unchecked_into();
        link.set_href(&address);
        link.set_download(name);
        link.click();
    }
    set_timeout(
        move || {
            // An address that is not known any more is as good as given back.
            let _ = Url::revoke_object_url(&address);
        },
        GRACE,
    );
}
