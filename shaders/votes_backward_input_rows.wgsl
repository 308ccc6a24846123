// The same as votes_backward_input for adapters that compute on the processor: an invocation owns a child's pose for IMAGES
// images and goes through its votes, DEEP at a time. Rows of W and gradients are loaded whole and kept as values, and a sum
// is stored once for DEEP votes.
#import run

@group(0) @binding(1) var<storage, read> gvotes: array<array<f32, DEEP>>;
@group(0) @binding(2) var<storage, read> weight: array<array<f32, DIMS_IN>>;
@group(0) @binding(3) var<storage, read_write> gu: array<f32>;

override children: u32;
override vote: u32;
override dims_in: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let child = place(group, groups) * LANES + lane;
    if (child < children) {
        // DEEP divides a child's votes.
        let tiles = vote / DEEP;
#for b in IMAGES
        let image$b = IMAGES * group.z + $bu;
        let first$b = (min(image$b, run.live - 1u) * children + child) * tiles;
        var sum$b = array<f32, DIMS_IN>();
#end
        for (var o = 0u; o < tiles; o++) {
#for d in DEEP
            let weights$d = weight[child * vote + o * DEEP + $du];
#end
#for b in IMAGES
            let g$b = gvotes[first$b + o];
#for e in DIMS_IN
            sum$b[$eu] = sum$b[$eu]
#for d in DEEP
                + g$b[$du] * weights$d[$eu]
#end
                ;
#end
#end
        }
#for b in IMAGES
        if (image$b < run.live) {
            let at = (image$b * children + child) * dims_in;
#for e in DIMS_IN
            gu[at + $eu] = sum$b[$eu];
#end
        }
#end
    }
}
