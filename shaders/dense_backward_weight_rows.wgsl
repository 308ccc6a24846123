// The same as dense_backward_weight, of layers without a mask, for adapters that compute on the processor: an invocation owns
// OUTS outputs × INS inputs and goes through the images, DEEP at a time. Rows are loaded whole and kept as values, and a sum
// is stored once for DEEP images.
#import run
#import keep
#import mask
#import activation

@group(0) @binding(1) var<storage, read> gy: array<array<f32, OUTS>>;
@group(0) @binding(2) var<storage, read> y: array<array<f32, OUTS>>;
@group(0) @binding(3) var<storage, read> x: array<array<f32, INS>>;
@group(0) @binding(4) var<storage, read> chosen: array<f32>;
@group(0) @binding(5) var<storage, read_write> gweight: array<f32>;
@group(0) @binding(6) var<storage, read_write> gbias: array<f32>;

override outputs: u32;
override joins: bool;

// What a sum starts from.
fn before(value: f32) -> f32 {
    return select(kept(value), value, joins);
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    // OUTS divides the outputs, and INS the inputs.
    let i = place(group, groups) * LANES + lane;
    if (i < inputs / INS) {
#for m in OUTS
        var bias$m = 0.0;
        var sum$m = array<f32, INS>();
#end
        for (var image = 0u; image < run.live; image += DEEP) {
#for b in DEEP
            let image$b = min(image + $bu, run.live - 1u);
            let counts$b = image + $bu < run.live;
            let pixels$b = x[image$b * (inputs / INS) + i];
            let after$b = gy[image$b * (outputs / OUTS) + group.z];
            let value$b = y[image$b * (outputs / OUTS) + group.z];
#end
#for m in OUTS
#for b in DEEP
            let g$m_$b = select(0.0, after$b[$mu] * slope(value$b[$mu]), counts$b);
#end
            bias$m = bias$m
#for b in DEEP
                + g$m_$b
#end
                ;
#for n in INS
            sum$m[$nu] = sum$m[$nu]
#for b in DEEP
                + g$m_$b * pixels$b[$nu]
#end
                ;
#end
#end
        }
#for m in OUTS
        let o$m = group.z * OUTS + $mu;
        if (i == 0u) {
            gbias[o$m] = before(gbias[o$m]) + bias$m;
        }
#for n in INS
        let at$m_$n = o$m * inputs + i * INS + $nu;
        gweight[at$m_$n] = before(gweight[at$m_$n]) + sum$m[$nu];
#end
#end
    }
}
