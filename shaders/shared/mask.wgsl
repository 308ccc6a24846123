// The inputs of a dense layer that count: all, or of a masked layer the block of each image's chosen class.
override masked: bool;
override inputs: u32;
// Inputs that count for one image.
override counted: u32;

// The first input that counts for an image with this chosen class.
fn window(choice: f32) -> u32 {
    return select(0u, u32(choice) * counted, masked);
}

// Four consecutive images; those beyond the last are the last.
fn four_images(tile: u32, live: u32) -> vec4u {
    return min(4u * tile + vec4u(0u, 1u, 2u, 3u), vec4u(live - 1u));
}
