// The same as votes_backward_weight for adapters that compute on the processor: an invocation owns OUTS rows of W and goes
// through the images, DEEP at a time. Gradients and poses are loaded whole and kept as values, and a sum is stored once for
// DEEP images.
#import run
#import keep

@group(0) @binding(1) var<storage, read> gvotes: array<array<f32, OUTS>>;
@group(0) @binding(2) var<storage, read> u: array<array<f32, DIMS_IN>>;
@group(0) @binding(3) var<storage, read_write> gweight: array<f32>;

override children: u32;
override vote: u32;
override dims_in: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    // OUTS divides a child's votes.
    let tiles = children * vote / OUTS;
    let k = place(group, groups) * LANES + lane;
    if (k < tiles) {
        let child = k * OUTS / vote;
#for m in OUTS
        var sum$m = array<f32, DIMS_IN>();
#end
        for (var image = 0u; image < run.live; image += DEEP) {
#for b in DEEP
            let image$b = min(image + $bu, run.live - 1u);
            let counts$b = image + $bu < run.live;
            let pose$b = u[image$b * children + child];
            let row$b = gvotes[image$b * tiles + k];
#end
#for m in OUTS
#for b in DEEP
            let g$m_$b = select(0.0, row$b[$mu], counts$b);
#end
#for e in DIMS_IN
            sum$m[$eu] = sum$m[$eu]
#for b in DEEP
                + g$m_$b * pose$b[$eu]
#end
                ;
#end
#end
        }
#for m in OUTS
#for e in DIMS_IN
        let at$m_$e = (k * OUTS + $mu) * dims_in + $eu;
        gweight[at$m_$e] = kept(gweight[at$m_$e]) + sum$m[$eu];
#end
#end
    }
}
