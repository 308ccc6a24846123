//! What the tests of a GPU share: one device for all tests of a binary.

use capscope::exec::Device;
use capscope::exec::gpu::Checks;
use std::sync::OnceLock;

/// The GPU that the system offers, with all checks of a browser. Without any the test fails, and says what to install.
pub fn gpu() -> &'static Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    DEVICE.get_or_init(|| match pollster::block_on(Device::open_gpu(Checks::Kept)) {
        Ok(device) => {
            println!("GPU: {}", device.name());
            device
        }
        Err(error) => panic!("{error}"),
    })
}
