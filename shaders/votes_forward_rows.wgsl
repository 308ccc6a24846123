// The same as votes_forward for adapters that compute on the processor: an invocation owns OUTS numbers of a child's votes for
// IMAGES images. Rows of W and poses are loaded whole and kept as values, and each sum is one expression.
#import run

@group(0) @binding(1) var<storage, read> u: array<array<f32, DIMS_IN>>;
@group(0) @binding(2) var<storage, read> weight: array<array<f32, DIMS_IN>>;
@group(0) @binding(3) var<storage, read_write> votes: array<f32>;

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
    let k = place(group, groups) * LANES + lane;
    if (k < children * vote / OUTS) {
        let child = k * OUTS / vote;
#for m in OUTS
        let weights$m = weight[k * OUTS + $mu];
#end
#for b in IMAGES
        let image$b = IMAGES * group.z + $bu;
        if (image$b < run.live) {
            let pose = u[image$b * children + child];
            let at = image$b * children * vote + k * OUTS;
#for m in OUTS
            votes[at + $mu] = 0.0
#for e in DIMS_IN
                + weights$m[$eu] * pose[$eu]
#end
                ;
#end
        }
#end
    }
}
