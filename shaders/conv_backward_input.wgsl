// gy, y [B, O, h, w], weight [O, C, k, k] → gx [B, C, H, W]. An invocation owns 8 channels × 4 pixels.
// With stride s, the weights that reach a pixel are those whose row and column have the pixel's remainders mod s: its
// phase. A workgroup has one phase and one tile of channels, so that all its invocations read the same weights; and mostly
// pixels of one row (of several images), so that rows of the kernel which meet no output are skipped together.
#import run
#import conv

@group(0) @binding(1) var<storage, read> gy: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read> weight: array<f32>;
@group(0) @binding(4) var<storage, read_write> gx: array<f32>;

// Columns of one phase: ⌈W/s⌉.
override phase_columns: u32;
// Tiles of 8 channels.
override tiles: u32;

// The gradient before the activation.
fn gradient(at: u32) -> f32 {
    var g = gy[at];
    if (relu) {
        g = select(0.0, g, y[at] > 0.0);
    }
    return g;
}

// Writes one channel's four pixels.
fn finish(channel: u32, image: vec4u, row: vec4u, column: vec4u, sum: vec4f) {
    for (var n = 0u; n < 4u && channel < channels_in; n++) {
        if (row[n] < height && column[n] < width) {
            gx[((image[n] * channels_in + channel) * height + row[n]) * width + column[n]] = scale * sum[n];
        }
    }
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = place(group, groups) * 4u * LANES + lane + LANES * vec4u(0u, 1u, 2u, 3u);
    let line = run.live * phase_columns;
    let q_row = item / line;
    let image = item % line / phase_columns;
    let q_column = item % phase_columns;
    let phase_row = group.z / tiles / stride;
    let phase_column = group.z / tiles % stride;
    let channel = 8u * (group.z % tiles);
    let area = kernel * kernel;
    let a = min(channel + vec4u(0u, 1u, 2u, 3u), vec4u(channels_in - 1u)) * area;
    let b = min(channel + vec4u(4u, 5u, 6u, 7u), vec4u(channels_in - 1u)) * area;
    var s0 = vec4f();
    var s1 = vec4f();
    var s2 = vec4f();
    var s3 = vec4f();
    var s4 = vec4f();
    var s5 = vec4f();
    var s6 = vec4f();
    var s7 = vec4f();
    for (var ky = phase_row; ky < kernel; ky += stride) {
        // The output row that meets the pixel at this row of the kernel; negative ones wrap and are beyond the height.
        let out_row = q_row - ky / stride;
        let in_row = out_row < vec4u(height_out);
        for (var kx = phase_column; kx < kernel && any(in_row); kx += stride) {
            let out_column = q_column - kx / stride;
            let inside = in_row & (out_column < vec4u(width_out));
            // What is outside reads the first image, and counts nothing.
            let first = image * channels_out * positions + out_row * width_out + out_column;
            var at = select(vec4u(), first, inside);
            var w = ky * kernel + kx;
            for (var o = 0u; o < channels_out; o++) {
                let found = vec4f(gradient(at.x), gradient(at.y), gradient(at.z), gradient(at.w));
                let g = select(vec4f(), found, inside);
                s0 += weight[w + a.x] * g;
                s1 += weight[w + a.y] * g;
                s2 += weight[w + a.z] * g;
                s3 += weight[w + a.w] * g;
                s4 += weight[w + b.x] * g;
                s5 += weight[w + b.y] * g;
                s6 += weight[w + b.z] * g;
                s7 += weight[w + b.w] * g;
                at += positions;
                w += channels_in * area;
            }
        }
    }
    let row = q_row * stride + phase_row;
    let column = q_column * stride + phase_column;
    finish(channel, image, row, column, s0);
    finish(channel + 1u, image, row, column, s1);
    finish(channel + 2u, image, row, column, s2);
    finish(channel + 3u, image, row, column, s3);
    finish(channel + 4u, image, row, column, s4);
    finish(channel + 5u, image, row, column, s5);
    finish(channel + 6u, image, row, column, s6);
    finish(channel + 7u, image, row, column, s7);
}
