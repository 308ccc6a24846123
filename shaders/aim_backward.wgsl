// fit [B, n, D + 1] (μ, a), gv [B, n, D] → gfit [B, n, D + 1] (the formula: `ops::aim::Backward`). An invocation a capsule.
#import run
#import pose

@group(0) @binding(1) var<storage, read> fit: array<f32>;
@group(0) @binding(2) var<storage, read> gv: array<f32>;
@group(0) @binding(3) var<storage, read_write> gfit: array<f32>;

override capsules: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let capsule = place(group, groups) * LANES + lane;
    if (capsule < run.live * capsules) {
        let first = capsule * (DIMS + 1u);
        var mean = array<f32, DIMS>();
        for (var d = 0u; d < DIMS; d++) {
            mean[d] = fit[first + d];
        }
        let n = length_of(&mean);
        let factor = 1.0 / (n + 1e-6);
        // Along the unit vector, so that tiny means lose nothing.
        let inverse = select(0.0, 1.0 / n, n > 0.0);
        var along = 0.0;
        for (var d = 0u; d < DIMS; d++) {
            along += mean[d] * inverse * gv[capsule * DIMS + d];
        }
        let a = fit[first + DIMS];
        for (var d = 0u; d < DIMS; d++) {
            gfit[first + d] = a * factor * (gv[capsule * DIMS + d] - n * factor * along * (mean[d] * inverse));
        }
        gfit[first + DIMS] = n * factor * along;
    }
}
