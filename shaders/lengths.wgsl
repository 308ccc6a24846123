// v [B, J, D], labels [B] → lengths [B, J], chosen [B]; an invocation an image.
#import run
#import pose

@group(0) @binding(1) var<storage, read> v: array<f32>;
@group(0) @binding(2) var<storage, read> labels: array<f32>;
@group(0) @binding(3) var<storage, read_write> lengths: array<f32>;
@group(0) @binding(4) var<storage, read_write> chosen: array<f32>;

override classes: u32;

// `plan::Chosen` as a number; anything else is the class itself.
const LABEL: u32 = 0xffffffffu;
const LONGEST: u32 = 0xfffffffeu;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let image = place(group, groups) * LANES + lane;
    if (image < run.live) {
        // The first of the largest.
        var longest = 0u;
        var largest = -1.0;
        for (var j = 0u; j < classes; j++) {
            var s = array<f32, DIMS>();
            for (var d = 0u; d < DIMS; d++) {
                s[d] = v[(image * classes + j) * DIMS + d];
            }
            let n = length_of(&s);
            lengths[image * classes + j] = n;
            if (n > largest) {
                longest = j;
                largest = n;
            }
        }
        if (run.chosen == LABEL) {
            chosen[image] = labels[image];
        } else {
            chosen[image] = f32(select(run.chosen, longest, run.chosen == LONGEST));
        }
    }
}
