// x [N, 4] → y [N, 4].
#import run

@group(0) @binding(1) var<storage, read> x: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;

override quads: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = place(group, groups) * LANES + lane;
    if (k < quads) {
        y[k] = x[k];
    }
}
