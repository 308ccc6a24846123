// gvotes [B, I, J·D], weight [I, J·D, E] → gu [B, I, E]. An invocation owns one number of a child's pose for eight images.
#import run
#import eight

@group(0) @binding(1) var<storage, read> gvotes: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> gu: array<f32>;

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
    if (k < children * dims_in) {
        let images = eight_images(group.z);
        let child = k / dims_in;
        let low = (images.low * children + child) * vote;
        let high = (images.high * children + child) * vote;
        let first = child * vote * dims_in + k % dims_in;
        var sum_low = vec4f();
        var sum_high = vec4f();
        for (var o = 0u; o < vote; o++) {
            let w = weight[first + o * dims_in];
            sum_low += w * vec4f(gvotes[low.x + o], gvotes[low.y + o], gvotes[low.z + o], gvotes[low.w + o]);
            sum_high += w * vec4f(gvotes[high.x + o], gvotes[high.y + o], gvotes[high.z + o], gvotes[high.w + o]);
        }
        for (var n = 0u; n < 8u && 8u * group.z + n < run.live; n++) {
            let sum = select(sum_high[n & 3u], sum_low[n & 3u], n < 4u);
            gu[(8u * group.z + n) * children * dims_in + k] = sum;
        }
    }
}
