// fit [B, n, D + 1] (μ, a) → v [B, n, D] = a μ/(‖μ‖ + 1e-6). An invocation a capsule.
#import run
#import pose

@group(0) @binding(1) var<storage, read> fit: array<f32>;
@group(0) @binding(2) var<storage, read_write> v: array<f32>;

override capsules: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let capsule = place(group, groups) * LANES + lane;
    if (capsule < run.live * capsules) {
        var mean = array<f32, DIMS>();
        for (var d = 0u; d < DIMS; d++) {
            mean[d] = fit[capsule * (DIMS + 1u) + d];
        }
        let factor = fit[capsule * (DIMS + 1u) + DIMS] / (length_of(&mean) + 1e-6);
        for (var d = 0u; d < DIMS; d++) {
            v[capsule * DIMS + d] = factor * mean[d];
        }
    }
}
