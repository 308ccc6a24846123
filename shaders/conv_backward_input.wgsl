// gy, y [B, O, h, w], weight [O, C, k, k] → gx [B, C, H, W]. An invocation owns CHANNELS channels × 4·QUADS pixels.
// With stride s, the weights that reach a pixel are those whose row and column have the pixel's remainders mod s: its
// phase. A workgroup has one phase and one tile of channels, so that all its invocations read the same weights; and mostly
// pixels of one row, or of one place, of several images, so that rows and columns of the kernel which meet no output are
// skipped together.
#import run
#import conv

@group(0) @binding(1) var<storage, read> gy: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read> weight: array<f32>;
@group(0) @binding(4) var<storage, read_write> gx: array<f32>;

// Columns of one phase: ⌈W/s⌉.
override phase_columns: u32;
// Tiles of CHANNELS channels.
override tiles: u32;

// The gradient before the activation.
fn gradient(at: u32) -> f32 {
    var g = gy[at];
    if (relu) {
        g = select(0.0, g, y[at] > 0.0);
    }
    return g;
}

// Pixels of a phase, counted row by row, and within a row image by image, or where BY_PLACE is 1 column by column.
fn row_of(item: vec4u) -> vec4u {
    return item / (run.live * phase_columns);
}

fn image_of(item: vec4u) -> vec4u {
    let pixel = item % (run.live * phase_columns);
    return select(pixel / phase_columns, pixel % run.live, BY_PLACE == 1u);
}

fn column_of(item: vec4u) -> vec4u {
    let pixel = item % (run.live * phase_columns);
    return select(pixel % phase_columns, pixel / run.live, BY_PLACE == 1u);
}

// Writes one channel's four pixels; `phase` is their row's and their column's remainder.
fn finish(channel: u32, item: vec4u, phase: vec2u, sum: vec4f) {
    let image = image_of(item);
    let row = row_of(item) * stride + phase.x;
    let column = column_of(item) * stride + phase.y;
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
    let first = place(group, groups) * 4u * QUADS * LANES + lane;
#for q in QUADS
    let item$q = first + LANES * (4u * $qu + vec4u(0u, 1u, 2u, 3u));
    let q_row$q = row_of(item$q);
    let image$q = image_of(item$q);
    let q_column$q = column_of(item$q);
#end
    let phase_row = group.z / tiles / stride;
    let phase_column = group.z / tiles % stride;
    let channel = CHANNELS * (group.z % tiles);
    let area = kernel * kernel;
#for m in CHANNELS
    let plane$m = min(channel + $mu, channels_in - 1u) * area;
#for q in QUADS
    var sum$m_$q = vec4f();
#end
#end
    for (var ky = phase_row; ky < kernel; ky += stride) {
        // The output row that meets the pixel at this row of the kernel; negative ones wrap and are beyond the height.
        var meets = false;
#for q in QUADS
        let out_row$q = q_row$q - ky / stride;
        let in_row$q = out_row$q < vec4u(height_out);
        meets |= any(in_row$q);
#end
        for (var kx = phase_column; kx < kernel && meets; kx += stride) {
            var reaches = false;
#for q in QUADS
            let out_column$q = q_column$q - kx / stride;
            let inside$q = in_row$q & (out_column$q < vec4u(width_out));
            // What is outside reads the first image, and counts nothing.
            let first$q = image$q * channels_out * positions + out_row$q * width_out + out_column$q;
            var at$q = select(vec4u(), first$q, inside$q);
            reaches |= any(inside$q);
#end
            var w = ky * kernel + kx;
            for (var o = 0u; o < channels_out && reaches; o++) {
#for q in QUADS
                let found$q = vec4f(gradient(at$q.x), gradient(at$q.y), gradient(at$q.z), gradient(at$q.w));
                let g$q = select(vec4f(), found$q, inside$q);
                at$q += positions;
#end
#for m in CHANNELS
                let weight$m = weight[w + plane$m];
#for q in QUADS
                sum$m_$q += weight$m * g$q;
#end
#end
                w += channels_in * area;
            }
        }
    }
    var sums = array<vec4f, CHANNELS * QUADS>();
#for m in CHANNELS
#for q in QUADS
    sums[$mu * QUADS + $qu] = sum$m_$q;
#end
#end
    for (var n = 0u; n < CHANNELS * QUADS; n++) {
        let item = first + LANES * (4u * (n % QUADS) + vec4u(0u, 1u, 2u, 3u));
        finish(channel + n / QUADS, item, vec2u(phase_row, phase_column), sums[n]);
    }
}
