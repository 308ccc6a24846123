// u [B, n, D] → activation [B, n] = ‖u‖. An invocation a capsule.
#import run
#import pose

@group(0) @binding(1) var<storage, read> u: array<f32>;
@group(0) @binding(2) var<storage, read_write> activation: array<f32>;

override capsules: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let capsule = place(group, groups) * LANES + lane;
    if (capsule < run.live * capsules) {
        var pose = array<f32, DIMS>();
        for (var d = 0u; d < DIMS; d++) {
            pose[d] = u[capsule * DIMS + d];
        }
        activation[capsule] = length_of(&pose);
    }
}
