// gy, y [B, outputs], weight [outputs, inputs], chosen [B] → gx [B, inputs]. An invocation owns an input of four images. Of a
// masked layer only the chosen block changes, and the gradient is added to what is there.
#import run
#import mask
#import activation

@group(0) @binding(1) var<storage, read> gy: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read> weight: array<f32>;
@group(0) @binding(4) var<storage, read> chosen: array<f32>;
@group(0) @binding(5) var<storage, read_write> gx: array<f32>;

override outputs: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = place(group, groups) * LANES + lane;
    if (i < counted) {
        let image = four_images(group.z, run.live);
        let column = i + vec4u(
            window(chosen[image.x]), window(chosen[image.y]), window(chosen[image.z]), window(chosen[image.w]),
        );
        var sum = vec4f();
        for (var o = 0u; o < outputs; o++) {
            let k = image * outputs + o;
            let g = vec4f(
                gy[k.x] * slope(y[k.x]), gy[k.y] * slope(y[k.y]), gy[k.z] * slope(y[k.z]), gy[k.w] * slope(y[k.w]),
            );
            let w = o * inputs + column;
            sum += g * vec4f(weight[w.x], weight[w.y], weight[w.z], weight[w.w]);
        }
        for (var k = 0u; k < 4u && 4u * group.z + k < run.live; k++) {
            let at = image[k] * inputs + column[k];
            if (masked) {
                gx[at] += sum[k];
            } else {
                gx[at] = sum[k];
            }
        }
    }
}
