// gy, y [B, O, h, w], x [B, C, H, W] → gweight [O, C, k, k], gbias [O]. An invocation owns 8 channels × 4 columns of the
// gradient (a column is one place under the kernel; the bias is one more, whose pixel is always 1) and goes through every
// SLICES-th image and position; the slices are then added up in a fixed order.
#import run
#import keep
#import conv

@group(0) @binding(1) var<storage, read> gy: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> gweight: array<f32>;
@group(0) @binding(5) var<storage, read_write> gbias: array<f32>;

// LANES = COLUMNS · SLICES.
var<workgroup> parts: array<vec4f, LANES>;

fn gradient(at: u32) -> f32 {
    var g = gy[at];
    if (relu) {
        g = select(0.0, g, y[at] > 0.0);
    }
    return g;
}

// Adds up one channel's slices, and writes four columns.
fn finish(channel: u32, column: vec4u, lane: u32, own: vec4f) {
    parts[lane] = own;
    workgroupBarrier();
    for (var half = SLICES / 2u; half > 0u; half /= 2u) {
        if (lane < half * COLUMNS) {
            parts[lane] += parts[lane + half * COLUMNS];
        }
        workgroupBarrier();
    }
    let sum = parts[lane];
    let row = channels_in * kernel * kernel;
    for (var n = 0u; n < 4u && lane < COLUMNS && channel < channels_out; n++) {
        if (column[n] == row) {
            gbias[channel] = kept(gbias[channel]) + sum[n];
        } else if (column[n] < row) {
            let at = channel * row + column[n];
            gweight[at] = kept(gweight[at]) + scale * sum[n];
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let area = kernel * kernel;
    let column = place(group, groups) * 4u * COLUMNS + lane % COLUMNS + COLUMNS * vec4u(0u, 1u, 2u, 3u);
    let is_bias = column == vec4u(channels_in * area);
    let tap = min(column, vec4u(channels_in * area - 1u));
    let offset = (tap / area * height + tap % area / kernel) * width + tap % kernel;
    let channel = 8u * group.z;
    let a = min(channel + vec4u(0u, 1u, 2u, 3u), vec4u(channels_out - 1u)) * positions;
    let b = min(channel + vec4u(4u, 5u, 6u, 7u), vec4u(channels_out - 1u)) * positions;
    var s0 = vec4f();
    var s1 = vec4f();
    var s2 = vec4f();
    var s3 = vec4f();
    var s4 = vec4f();
    var s5 = vec4f();
    var s6 = vec4f();
    var s7 = vec4f();
    for (var item = lane / COLUMNS; item < run.live * positions; item += SLICES) {
        let at = corner(item) + offset;
        let pixels = select(vec4f(x[at.x], x[at.y], x[at.z], x[at.w]), vec4f(1.0), is_bias);
        let k = item / positions * channels_out * positions + item % positions;
        s0 += gradient(k + a.x) * pixels;
        s1 += gradient(k + a.y) * pixels;
        s2 += gradient(k + a.z) * pixels;
        s3 += gradient(k + a.w) * pixels;
        s4 += gradient(k + b.x) * pixels;
        s5 += gradient(k + b.y) * pixels;
        s6 += gradient(k + b.z) * pixels;
        s7 += gradient(k + b.w) * pixels;
    }
    finish(channel, column, lane, s0);
    finish(channel + 1u, column, lane, s1);
    finish(channel + 2u, column, lane, s2);
    finish(channel + 3u, column, lane, s3);
    finish(channel + 4u, column, lane, s4);
    finish(channel + 5u, column, lane, s5);
    finish(channel + 6u, column, lane, s6);
    finish(channel + 7u, column, lane, s7);
}
