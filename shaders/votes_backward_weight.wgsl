// gvotes [B, I, J·D], u [B, I, E] → gweight [I, J·D, E]. An invocation owns up to eight numbers of one row of W and goes
// through the images.
#import run
#import keep

@group(0) @binding(1) var<storage, read> gvotes: array<f32>;
@group(0) @binding(2) var<storage, read> u: array<f32>;
@group(0) @binding(3) var<storage, read_write> gweight: array<f32>;

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
        let first = 8u * group.z;
        let end = min(8u, dims_in - first);
        // Beyond the pose's end its last number is read, and nothing written.
        let low = min(first + vec4u(0u, 1u, 2u, 3u), vec4u(dims_in - 1u));
        let high = min(first + vec4u(4u, 5u, 6u, 7u), vec4u(dims_in - 1u));
        var sum_low = vec4f();
        var sum_high = vec4f();
        for (var image = 0u; image < run.live; image++) {
            let g = gvotes[image * children * vote + k];
            let pose = (image * children + k / vote) * dims_in;
            let a = pose + low;
            let b = pose + high;
            sum_low += g * vec4f(u[a.x], u[a.y], u[a.z], u[a.w]);
            sum_high += g * vec4f(u[b.x], u[b.y], u[b.z], u[b.w]);
        }
        for (var n = 0u; n < end; n++) {
            let at = k * dims_in + first + n;
            gweight[at] = kept(gweight[at]) + select(sum_high[n & 3u], sum_low[n & 3u], n < 4u);
        }
    }
}
