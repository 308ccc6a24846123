// What changes from run to run: `plan::Run`, field by field.
struct Run {
    live: u32,
    accumulate: u32,
    iterations: u32,
    chosen: u32,
    row: u32,
    total: f32,
    rate: f32,
    first_correction: f32,
    second_correction: f32,
    padding_0: u32,
    padding_1: u32,
    padding_2: u32,
}

@group(0) @binding(0) var<uniform> run: Run;

// A workgroup's place on the line that `plan::Grid` wraps over x and y.
fn place(group: vec3u, groups: vec3u) -> u32 {
    return group.y * groups.x + group.x;
}
