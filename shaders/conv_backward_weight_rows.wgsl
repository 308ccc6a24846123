// The same as conv_backward_weight for adapters that compute on the processor: an invocation owns CHANNELS channels × ROWS
// rows of the kernel (of channels_in · kernel), and goes through every SLICES-th row of outputs. A row of the gradient and
// one of pixels are loaded whole and kept as values, and a sum is stored once for all the products along a row.
#import run
#import keep
#import conv

@group(0) @binding(1) var<storage, read> gy: array<array<f32, WIDE>>;
@group(0) @binding(2) var<storage, read> y: array<array<f32, WIDE>>;
@group(0) @binding(3) var<storage, read> x: array<array<f32, WIDTH>>;
@group(0) @binding(4) var<storage, read_write> gweight: array<f32>;
@group(0) @binding(5) var<storage, read_write> gbias: array<f32>;

// Sums of an invocation: its weights', and its channels' biases'.
const SUMS: u32 = CHANNELS * (ROWS * KERNEL + 1u);

#for once in SPLIT
// LANES = COLUMNS · SLICES.
var<workgroup> parts: array<array<f32, SUMS>, LANES>;
#end

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = place(group, groups) * ROWS * COLUMNS + lane % COLUMNS;
    let lines = channels_in * kernel;
#for r in ROWS
    let line$r = min(first + COLUMNS * $ru, lines - 1u);
    let offset$r = line$r / kernel * height + line$r % kernel;
#end
    let channel = CHANNELS * group.z;
#for m in CHANNELS
    let plane$m = min(channel + $mu, channels_out - 1u) * height_out;
    var bias$m = 0.0;
#for r in ROWS
    var sum$m_$r = array<f32, KERNEL>();
#end
#end
    for (var row = lane / COLUMNS; row < run.live * height_out; row += SLICES) {
        let image = row / height_out;
#for r in ROWS
        let pixels$r = x[image * channels_in * height + row % height_out * stride + offset$r];
#end
#for m in CHANNELS
        let at$m = image * channels_out * height_out + row % height_out + plane$m;
        let after$m = gy[at$m];
#for once in RELU
        let value$m = y[at$m];
#end
        let gradients$m = array<f32, WIDE>(
#for q in WIDE
#for once in RELU
            select(0.0,
#end
            after$m[$qu]
#for once in RELU
            , value$m[$qu] > 0.0)
#end
            ,
#end
        );
        bias$m = bias$m
#for q in WIDE
            + gradients$m[$qu]
#end
            ;
#for r in ROWS
#for t in KERNEL
        sum$m_$r[$tu] = sum$m_$r[$tu]
#for q in WIDE
            + gradients$m[$qu] * pixels$r[$qu * STRIDE + $tu]
#end
            ;
#end
#end
#end
    }
    var sums = array<f32, SUMS>();
#for m in CHANNELS
    sums[SUMS - CHANNELS + $mu] = bias$m;
#for r in ROWS
#for t in KERNEL
    sums[($mu * ROWS + $ru) * KERNEL + $tu] = sum$m_$r[$tu];
#end
#end
#end
#for once in SPLIT
    for (var n = 0u; n < SUMS; n++) {
        parts[lane][n] = sums[n];
    }
    workgroupBarrier();
#end
    // The slices share the work of adding up.
    for (var n = lane / COLUMNS; n < SUMS; n += SLICES) {
        var sum = sums[n];
#for once in SPLIT
        sum = 0.0;
        for (var slice = 0u; slice < SLICES; slice++) {
            sum += parts[slice * COLUMNS + lane % COLUMNS][n];
        }
#end
        let is_bias = n >= SUMS - CHANNELS;
        let owner = channel + select(n / (ROWS * KERNEL), n - (SUMS - CHANNELS), is_bias);
        let line = first + COLUMNS * (n / KERNEL % ROWS);
        if (owner < channels_out && is_bias && first == 0u) {
            gbias[owner] = kept(gbias[owner]) + sum;
        } else if (owner < channels_out && !is_bias && line < lines) {
            let at = (owner * lines + line) * kernel + n % KERNEL;
            gweight[at] = kept(gweight[at]) + scale * sum;
        }
    }
}
