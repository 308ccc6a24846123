// parts [B, width] → sum [width]; an invocation adds up one column, image after image.
#import run
#import keep

@group(0) @binding(1) var<storage, read> parts: array<f32>;
@group(0) @binding(2) var<storage, read_write> sum: array<f32>;

override width: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let column = place(group, groups) * LANES + lane;
    if (column < width) {
        var total = kept(sum[column]);
        for (var image = 0u; image < run.live; image++) {
            total += parts[image * width + column];
        }
        sum[column] = total;
    }
}
