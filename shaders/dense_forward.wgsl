// x [B, inputs], weight [outputs, inputs], bias [outputs], chosen [B] → y [B, outputs]. An invocation owns an output of four
// images; of a masked layer's input only the chosen capsule's block counts.
#import run
#import mask
#import activation

@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read> chosen: array<f32>;
@group(0) @binding(5) var<storage, read_write> y: array<f32>;

override outputs: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let o = place(group, groups) * LANES + lane;
    if (o < outputs) {
        let image = four_images(group.z, run.live);
        let first = vec4u(
            window(chosen[image.x]), window(chosen[image.y]), window(chosen[image.z]), window(chosen[image.w]),
        );
        let w = o * inputs + first;
        let a = image * inputs + first;
        var sum = vec4f();
        for (var k = 0u; k < counted; k++) {
            let weights = vec4f(weight[w.x + k], weight[w.y + k], weight[w.z + k], weight[w.w + k]);
            sum += weights * vec4f(x[a.x + k], x[a.y + k], x[a.z + k], x[a.w + k]);
        }
        for (var k = 0u; k < 4u && 4u * group.z + k < run.live; k++) {
            y[image[k] * outputs + o] = activate(sum[k] + bias[o]);
        }
    }
}
