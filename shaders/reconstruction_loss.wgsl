// output, pixels [B, N] → gradient [B, N] of weight · Σ (output − pixels)² / total, loss [B] not divided, added to
// what is there if it joins. One workgroup an image: its lanes take every LANES-th pixel, then the first one adds up the lanes.
#import run

@group(0) @binding(1) var<storage, read> output: array<f32>;
@group(0) @binding(2) var<storage, read> pixels: array<f32>;
@group(0) @binding(3) var<storage, read_write> gradient: array<f32>;
@group(0) @binding(4) var<storage, read_write> loss: array<f32>;

override count: u32;
override weight: f32;
override joins: bool;

var<workgroup> sums: array<f32, LANES>;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let image = place(group, groups);
    let end = select(0u, count, image < run.live);
    let factor = 2.0 * weight / run.total;
    var own = 0.0;
    for (var pixel = lane; pixel < end; pixel += LANES) {
        let k = image * count + pixel;
        let difference = output[k] - pixels[k];
        own += difference * difference;
        gradient[k] = factor * difference;
    }
    sums[lane] = own;
    workgroupBarrier();
    if (lane == 0u && image < run.live) {
        var total = 0.0;
        for (var k = 0u; k < LANES; k++) {
            total += sums[k];
        }
        loss[image] = select(0.0, loss[image], joins) + weight * total;
    }
}
