// x [B, C, H, W], weight [O, C, k, k], bias [O] → y [B, O, h, w] = activation(scale · Σ weight x + bias).
// An implicit GEMM: an invocation owns 8 channels × 4 positions. Neighbours have neighbouring positions, and a workgroup has
// one tile of channels, so that all its invocations read the same weights.
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
    let item = place(group, groups) * 4u * LANES + lane + LANES * vec4u(0u, 1u, 2u, 3u);
    // Beyond the last position it is computed once more, and not written.
    let inside = min(item, vec4u(run.live * positions - 1u));
    let start = vec4u(corner(inside.x), corner(inside.y), corner(inside.z), corner(inside.w));
    let channel = 8u * group.z;
    let row = channels_in * kernel * kernel;
    let a = min(channel + vec4u(0u, 1u, 2u, 3u), vec4u(channels_out - 1u)) * row;
    let b = min(channel + vec4u(4u, 5u, 6u, 7u), vec4u(channels_out - 1u)) * row;
    var s0 = vec4f();
    var s1 = vec4f();
    var s2 = vec4f();
    var s3 = vec4f();
    var s4 = vec4f();
    var s5 = vec4f();
    var s6 = vec4f();
    var s7 = vec4f();
    var k = 0u;
    for (var c = 0u; c < channels_in; c++) {
        for (var ky = 0u; ky < kernel; ky++) {
            let line = start + (c * height + ky) * width;
            for (var kx = 0u; kx < kernel; kx++) {
                let at = line + kx;
                let pixels = vec4f(x[at.x], x[at.y], x[at.z], x[at.w]);
                s0 += weight[a.x + k] * pixels;
                s1 += weight[a.y + k] * pixels;
                s2 += weight[a.z + k] * pixels;
                s3 += weight[a.w + k] * pixels;
                s4 += weight[b.x + k] * pixels;
                s5 += weight[b.y + k] * pixels;
                s6 += weight[b.z + k] * pixels;
                s7 += weight[b.w + k] * pixels;
                k++;
            }
        }
    }
    finish(channel, item, s0);
    finish(channel + 1u, item, s1);
    finish(channel + 2u, item, s2);
    finish(channel + 3u, item, s3);
    finish(channel + 4u, item, s4);
    finish(channel + 5u, item, s5);
    finish(channel + 6u, item, s6);
    finish(channel + 7u, item, s7);
}
