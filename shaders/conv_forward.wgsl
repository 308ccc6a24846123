// x [B, C, H, W], weight [O, C, k, k], bias [O] → y [B, O, h, w] = activation(scale · Σ weight x + bias).
// An implicit GEMM in registers: an invocation owns CHANNELS channels × 4·QUADS positions. Neighbours have neighbouring
// positions, and a workgroup has one tile of channels, so that all its invocations read the same weights.
#import run
#import conv

@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

// Writes one channel's four outputs.
fn finish(channel: u32, item: vec4u, sum: vec4f) {
    for (var n = 0u; n < 4u && channel < channels_out && item[n] < run.live * positions; n++) {
        let before = scale * sum[n] + bias[channel];
        let at = (item[n] / positions * channels_out + channel) * positions + item[n] % positions;
        y[at] = select(before, max(before, 0.0), relu);
    }
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = place(group, groups) * 4u * QUADS * LANES + lane;
    // Beyond the last position it is computed once more, and not written.
    let last = vec4u(run.live * positions - 1u);
#for q in QUADS
    let item$q = min(first + LANES * (4u * $qu + vec4u(0u, 1u, 2u, 3u)), last);
    let start$q = vec4u(corner(item$q.x), corner(item$q.y), corner(item$q.z), corner(item$q.w));
#end
    let channel = CHANNELS * group.z;
    let row = channels_in * kernel * kernel;
#for m in CHANNELS
    let row$m = min(channel + $mu, channels_out - 1u) * row;
#for q in QUADS
    var sum$m_$q = vec4f();
#end
#end
    var k = 0u;
    for (var c = 0u; c < channels_in; c++) {
        for (var ky = 0u; ky < kernel; ky++) {
            let line = (c * height + ky) * width;
            for (var kx = 0u; kx < kernel; kx++) {
#for q in QUADS
                let at$q = start$q + (line + kx);
                let pixels$q = vec4f(x[at$q.x], x[at$q.y], x[at$q.z], x[at$q.w]);
#end
#for m in CHANNELS
                let weight$m = weight[row$m + k];
#for q in QUADS
                sum$m_$q += weight$m * pixels$q;
#end
#end
                k++;
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
        finish(channel + n / QUADS, first + LANES * (4u * (n % QUADS) + vec4u(0u, 1u, 2u, 3u)), sums[n]);
    }
}
