#import run

// Eight consecutive images, of which those beyond the last are the last.
struct Eight {
    low: vec4u,
    high: vec4u,
}

fn eight_images(tile: u32) -> Eight {
    let last = vec4u(run.live - 1u);
    let low = 8u * tile + vec4u(0u, 1u, 2u, 3u);
    return Eight(min(low, last), min(low + 4u, last));
}
