// gu [B, types·positions, D], z [B, types·D, positions] → gz [B, types·D, positions]. An invocation a capsule.
#import run
#import pose

@group(0) @binding(1) var<storage, read> gu: array<f32>;
@group(0) @binding(2) var<storage, read> z: array<f32>;
@group(0) @binding(3) var<storage, read_write> gz: array<f32>;

override types: u32;
override positions: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let capsule = place(group, groups) * LANES + lane;
    if (capsule < run.live * types * positions) {
        let first = capsule / positions * DIMS * positions + capsule % positions;
        var s = array<f32, DIMS>();
        var along = 0.0;
        for (var d = 0u; d < DIMS; d++) {
            s[d] = z[first + d * positions];
            along += s[d] * gu[capsule * DIMS + d];
        }
        let factors = squash_gradient(length_of(&s), along);
        for (var d = 0u; d < DIMS; d++) {
            gz[first + d * positions] = factors.x * gu[capsule * DIMS + d] + factors.y * s[d];
        }
    }
}
