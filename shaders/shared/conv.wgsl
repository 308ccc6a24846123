// Sizes of a valid convolution of NCHW activations with OIHW weights.
override channels_in: u32;
override height: u32;
override width: u32;
override channels_out: u32;
override kernel: u32;
override stride: u32;
override height_out: u32;
override width_out: u32;
// height_out · width_out.
override positions: u32;
override scale: f32;
override relu: bool;

// First pixel under the kernel at an output position; `item` counts the positions of all images.
fn corner(item: u32) -> u32 {
    let position = item % positions;
    let row = item / positions * channels_in * height + position / width_out * stride;
    return row * width + position % width_out * stride;
}
