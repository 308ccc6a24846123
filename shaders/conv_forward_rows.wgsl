// The same as conv_forward for adapters that compute on the processor: an invocation owns CHANNELS channels × ROWS rows of
// outputs. A row of pixels and one of the kernel are loaded whole and kept as values, and a sum is stored once for all the
// products of a row of the kernel.
#import run
#import conv

@group(0) @binding(1) var<storage, read> x: array<array<f32, WIDTH>>;
@group(0) @binding(2) var<storage, read> weight: array<array<f32, KERNEL>>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = place(group, groups) * ROWS * LANES + lane;
    // Beyond the last row it is computed once more, and not written.
    let last = run.live * height_out - 1u;
    let channel = CHANNELS * group.z;
#for r in ROWS
    let row$r = min(first + LANES * $ru, last);
    let start$r = row$r / height_out * channels_in * height + row$r % height_out * stride;
#end
#for m in CHANNELS
    let filter$m = min(channel + $mu, channels_out - 1u) * channels_in * kernel;
#for r in ROWS
    var sum$m_$r = array<f32, WIDE>();
#end
#end
    for (var c = 0u; c < channels_in; c++) {
        for (var ky = 0u; ky < kernel; ky++) {
#for r in ROWS
            let pixels$r = x[start$r + c * height + ky];
#end
#for m in CHANNELS
            let weights$m = weight[filter$m + c * kernel + ky];
#for r in ROWS
#for q in WIDE
            sum$m_$r[$qu] = sum$m_$r[$qu]
#for t in KERNEL
                + weights$m[$tu] * pixels$r[$qu * STRIDE + $tu]
#end
                ;
#end
#end
#end
        }
    }
    var sums = array<array<f32, WIDE>, CHANNELS * ROWS>();
#for m in CHANNELS
#for r in ROWS
    sums[$mu * ROWS + $ru] = sum$m_$r;
#end
#end
    for (var n = 0u; n < CHANNELS * ROWS; n++) {
        let row = first + LANES * (n % ROWS);
        let owner = channel + n / ROWS;
        if (row <= last && owner < channels_out) {
            let out = ((row / height_out * channels_out + owner) * height_out + row % height_out) * width_out;
            for (var q = 0u; q < WIDE; q++) {
                let before = scale * sums[n][q] + bias[owner];
                y[out + q] = select(before, max(before, 0.0), relu);
            }
        }
    }
}
