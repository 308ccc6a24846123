//! A Vulkan adapter for the native GPU tests: the machine's own, or Mesa's lavapipe, which needs no graphics card.

use super::Setup;
use anyhow::{Context, Result, bail};
use ash::vk;

/// Makes sure that Vulkan lists at least one adapter.
pub fn ensure(setup: &mut Setup) -> Result<()> {
    if count_adapters().is_ok_and(|count| count > 0) {
        return Ok(());
    }
    setup.apt.ensure(&["mesa-vulkan-drivers", "libvulkan1"], "a Vulkan adapter is needed for the native GPU tests")?;
    if count_adapters()? == 0 {
        bail!("Vulkan lists no adapter although lavapipe is installed: unset VK_DRIVER_FILES and VK_ICD_FILENAMES");
    }
    Ok(())
}

/// How many adapters the Vulkan loader finds; an error if there is no loader or no driver.
fn count_adapters() -> Result<usize> {
    let information = vk::InstanceCreateInfo::default();
    // SAFETY: the loader is the system's own library; the instance is destroyed after its only use, and nothing else
    // holds on to it.
    unsafe {
        let entry = ash::Entry::load().context("libvulkan cannot be loaded")?;
        let instance = entry.create_instance(&information, None).context("Vulkan finds no driver")?;
        let adapters = instance.enumerate_physical_devices();
        instance.destroy_instance(None);
        Ok(adapters.context("Vulkan cannot list its adapters")?.len())
    }
}
