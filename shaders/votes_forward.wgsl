// u [B, I, E], weight [I, J·D, E] → votes [B, I, J·D]. An invocation owns one number of a vote for eight images, so that W is
// read once for eight.
#import run
#import eight

@group(0) @binding(1) var<storage, read> u: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> votes: array<f32>;

override children: u32;
override vote: u32;
override dims_in: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = place(group, groups) * LANES + lane;
    if (k < children * vote) {
        let images = eight_images(group.z);
        let child = k / vote;
        let low = (images.low * children + child) * dims_in;
        let high = (images.high * children + child) * dims_in;
        var sum_low = vec4f();
        var sum_high = vec4f();
        for (var e = 0u; e < dims_in; e++) {
            let w = weight[k * dims_in + e];
            sum_low += w * vec4f(u[low.x + e], u[low.y + e], u[low.z + e], u[low.w + e]);
            sum_high += w * vec4f(u[high.x + e], u[high.y + e], u[high.z + e], u[high.w + e]);
        }
        for (var n = 0u; n < 8u && 8u * group.z + n < run.live; n++) {
            let sum = select(sum_high[n & 3u], sum_low[n & 3u], n < 4u);
            votes[(8u * group.z + n) * children * vote + k] = sum;
        }
    }
}
