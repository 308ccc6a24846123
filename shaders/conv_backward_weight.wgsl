// gy, y [B, O, h, w], x [B, C, H, W] → gweight [O, C, k, k], gbias [O]. An invocation owns CHANNELS channels × 4·QUADS columns
// of the gradient (a column is one place under the kernel; the bias is one more, whose pixel is always 1) and goes through
// every SLICES-th line of every image's outputs; the slices are then added up in a fixed order.
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
    let first = place(group, groups) * 4u * QUADS * COLUMNS + lane % COLUMNS;
#for q in QUADS
    let column$q = first + COLUMNS * (4u * $qu + vec4u(0u, 1u, 2u, 3u));
    let is_bias$q = column$q == vec4u(channels_in * area);
    let tap$q = min(column$q, vec4u(channels_in * area - 1u));
    let offset$q = (tap$q / area * height + tap$q % area / kernel) * width + tap$q % kernel;
#end
    let channel = CHANNELS * group.z;
#for m in CHANNELS
    let row$m = min(channel + $mu, channels_out - 1u) * positions;
#for q in QUADS
    var sum$m_$q = vec4f();
#end
#end
    for (var line = lane / COLUMNS; line < run.live * height_out; line += SLICES) {
        let image = line / height_out;
        let out_row = line % height_out;
        let pixel = (image * channels_in * height + out_row * stride) * width;
        let out = image * channels_out * positions + out_row * width_out;
        for (var out_column = 0u; out_column < width_out; out_column++) {
#for q in QUADS
            let at$q = pixel + out_column * stride + offset$q;
            let pixels$q = select(vec4f(x[at$q.x], x[at$q.y], x[at$q.z], x[at$q.w]), vec4f(1.0), is_bias$q);
#end
#for m in CHANNELS
            let gradient$m = gradient(out + out_column + row$m);
#for q in QUADS
            sum$m_$q += gradient$m * pixels$q;
#end
#end
        }
    }
    var sums = array<vec4f, CHANNELS * QUADS>();
#for m in CHANNELS
#for q in QUADS
    sums[$mu * QUADS + $qu] = sum$m_$q;
#end
#end
    for (var n = 0u; n < CHANNELS * QUADS; n++) {
        finish(channel + n / QUADS, first + COLUMNS * (4u * (n % QUADS) + vec4u(0u, 1u, 2u, 3u)), lane, sums[n]);
    }
}
