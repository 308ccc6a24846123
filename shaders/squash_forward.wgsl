// z [B, types·D, positions] → u [B, types·positions, D]: gathers primary capsules from channels and squashes them. An
// invocation a capsule.
#import run
#import pose

@group(0) @binding(1) var<storage, read> z: array<f32>;
@group(0) @binding(2) var<storage, read_write> u: array<f32>;

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
        // capsule / positions counts the types of all images.
        let first = capsule / positions * DIMS * positions + capsule % positions;
        var s = array<f32, DIMS>();
        for (var d = 0u; d < DIMS; d++) {
            s[d] = z[first + d * positions];
        }
        let factor = squash_factor(length_of(&s));
        for (var d = 0u; d < DIMS; d++) {
            u[capsule * DIMS + d] = factor * s[d];
        }
    }
}
