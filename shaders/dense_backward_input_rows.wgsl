// The same as dense_backward_input, of layers without a mask, for adapters that compute on the processor: an invocation owns
// INS inputs of IMAGES images and goes through the outputs, DEEP at a time. Rows are loaded whole and kept as values, and a
// sum is stored once for DEEP outputs.
#import run
#import mask
#import activation

@group(0) @binding(1) var<storage, read> gy: array<array<f32, DEEP>>;
@group(0) @binding(2) var<storage, read> y: array<array<f32, DEEP>>;
@group(0) @binding(3) var<storage, read> weight: array<array<f32, INS>>;
@group(0) @binding(4) var<storage, read> chosen: array<f32>;
@group(0) @binding(5) var<storage, read_write> gx: array<f32>;

override outputs: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    // INS divides the inputs, and DEEP the outputs.
    let i = place(group, groups) * LANES + lane;
    if (i < inputs / INS) {
        let tiles = outputs / DEEP;
#for b in IMAGES
        let image$b = IMAGES * group.z + $bu;
        let first$b = min(image$b, run.live - 1u) * tiles;
        var sum$b = array<f32, INS>();
#end
        for (var o = 0u; o < tiles; o++) {
#for d in DEEP
            let weights$d = weight[(o * DEEP + $du) * (inputs / INS) + i];
#end
#for b in IMAGES
            let after$b = gy[first$b + o];
            let value$b = y[first$b + o];
#for d in DEEP
            let g$b_$d = after$b[$du] * slope(value$b[$du]);
#end
#for n in INS
            sum$b[$nu] = sum$b[$nu]
#for d in DEEP
                + g$b_$d * weights$d[$nu]
#end
                ;
#end
#end
        }
#for b in IMAGES
        if (image$b < run.live) {
            let at = image$b * inputs + i * INS;
#for n in INS
            gx[at + $nu] = sum$b[$nu];
#end
        }
#end
    }
}
