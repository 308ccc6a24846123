// The entry point of a forward kernel: a workgroup routes an image, position by position, and leaves the mean entropy of its
// children. The shader has `route(problem, lane)`, which returns the entropy of the lane's own children, and binds `entropy`.

var<workgroup> entropies: array<f32, LANES>;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let image = place(group, groups);
    if (image < run.live) {
        var own = 0.0;
        for (var position = 0u; position < positions; position++) {
            own += route(image * positions + position, lane);
        }
        entropies[lane] = own;
        workgroupBarrier();
        if (lane == 0u) {
            var sum = 0.0;
            for (var k = 0u; k < LANES; k++) {
                sum += entropies[k];
            }
            entropy[image] = sum / f32(positions * children);
        }
    }
}
