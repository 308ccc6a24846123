// The same as conv_backward_input for adapters that compute on the processor: an invocation owns CHANNELS channels × ROWS
// rows of pixels. With stride s, the weights that reach a row are those whose row has the pixels' remainder mod s: its phase.
// A workgroup has one phase, one tile of channels, and mostly one row of several images, so that rows of the kernel which
// meet no output are skipped together. A row of the gradient and one of the kernel are loaded whole and kept as values, and
// a sum is stored once for DEEP channels of the gradient.
#import run
#import conv

@group(0) @binding(1) var<storage, read> gy: array<array<f32, WIDE>>;
@group(0) @binding(2) var<storage, read> y: array<array<f32, WIDE>>;
@group(0) @binding(3) var<storage, read> weight: array<array<f32, KERNEL>>;
@group(0) @binding(4) var<storage, read_write> gx: array<f32>;

// Tiles of CHANNELS channels.
override tiles: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = place(group, groups) * ROWS * LANES + lane;
    let phase = group.z / tiles;
    let channel = CHANNELS * (group.z % tiles);
#for r in ROWS
    let image$r = (first + LANES * $ru) % run.live;
    let row$r = (first + LANES * $ru) / run.live;
#end
#for m in CHANNELS
    let plane$m = min(channel + $mu, channels_in - 1u) * kernel;
#for r in ROWS
    var sum$m_$r = array<f32, SPAN>();
#end
#end
    for (var ky = phase; ky < kernel; ky += stride) {
        // The output row that meets the pixels at this row of the kernel; negative ones wrap and are beyond the height.
        var meets = false;
#for r in ROWS
        let out_row$r = row$r - ky / stride;
        let inside$r = out_row$r < height_out;
        // What is outside reads the first row of the first image, and counts nothing.
        let start$r = select(0u, image$r * channels_out * height_out + out_row$r, inside$r);
        meets |= inside$r;
#end
        for (var o = 0u; o < channels_out && meets; o += DEEP) {
#for d in DEEP
#for r in ROWS
            let at$r_$d = start$r + (o + $du) * height_out;
            let after$r_$d = gy[at$r_$d];
#for once in RELU
            let value$r_$d = y[at$r_$d];
#end
            let gradients$r_$d = array<f32, WIDE>(
#for q in WIDE
                select(0.0, after$r_$d[$qu], inside$r
#for once in RELU
                    & (value$r_$d[$qu] > 0.0)
#end
                ),
#end
            );
#end
#end
#for m in CHANNELS
#for d in DEEP
            let weights$m_$d = weight[(o + $du) * channels_in * kernel + plane$m + ky];
#end
#for r in ROWS
#for t in KERNEL
#for q in WIDE
            sum$m_$r[$qu * STRIDE + $tu] = sum$m_$r[$qu * STRIDE + $tu]
#for d in DEEP
                + weights$m_$d[$tu] * gradients$r_$d[$qu]
#end
                ;
#end
#end
#end
#end
        }
    }
    var sums = array<array<f32, SPAN>, CHANNELS * ROWS>();
#for m in CHANNELS
#for r in ROWS
    sums[$mu * ROWS + $ru] = sum$m_$r;
#end
#end
    for (var n = 0u; n < CHANNELS * ROWS; n++) {
        let item = first + LANES * (n % ROWS);
        let row = item / run.live * stride + phase;
        let owner = channel + n / ROWS;
        if (row < height && owner < channels_in) {
            let out = ((item % run.live * channels_in + owner) * height + row) * width;
            for (var column = 0u; column < width; column++) {
                // What is right of the last place of the kernel met no output.
                let sum = sums[n][min(column, SPAN - 1u)];
                gx[out + column] = select(0.0, scale * sum, column < SPAN);
            }
        }
    }
}
