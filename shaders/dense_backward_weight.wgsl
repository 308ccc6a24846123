// gy, y [B, outputs], x [B, inputs], chosen [B] → gweight [outputs, inputs], gbias [outputs]. An invocation owns an input of
// four outputs and goes through the images; the bias is one more input, always 1.
#import run
#import keep
#import mask
#import activation

@group(0) @binding(1) var<storage, read> gy: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read> chosen: array<f32>;
@group(0) @binding(5) var<storage, read_write> gweight: array<f32>;
@group(0) @binding(6) var<storage, read_write> gbias: array<f32>;

override outputs: u32;
override joins: bool;

// What a sum starts from.
fn before(value: f32) -> f32 {
    return select(kept(value), value, joins);
}

fn gradient(k: u32) -> f32 {
    return gy[k] * slope(y[k]);
}

// What an image has at an input: 0 outside the window.
fn input(image: u32, i: u32) -> f32 {
    let first = window(chosen[image]);
    var value = 0.0;
    if (i == inputs) {
        value = 1.0;
    } else if (i >= first && i < first + counted) {
        value = x[image * inputs + i];
    }
    return value;
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = place(group, groups) * LANES + lane;
    if (i <= inputs) {
        let row = min(4u * group.z + vec4u(0u, 1u, 2u, 3u), vec4u(outputs - 1u));
        var sum = vec4f();
        for (var image = 0u; image < run.live; image++) {
            let k = image * outputs + row;
            sum += input(image, i) * vec4f(gradient(k.x), gradient(k.y), gradient(k.z), gradient(k.w));
        }
        for (var k = 0u; k < 4u && 4u * group.z + k < outputs; k++) {
            if (i == inputs) {
                gbias[row[k]] = before(gbias[row[k]]) + sum[k];
            } else {
                let at = row[k] * inputs + i;
                gweight[at] = before(gweight[at]) + sum[k];
            }
        }
    }
}
