// margin, reconstruction, correct, entropy [B] → the run's row of ledger [ROWS, COLUMNS]. One workgroup; its lanes add up
// every LANES-th image, then the first one adds up the lanes.
#import run

@group(0) @binding(1) var<storage, read> margin: array<f32>;
@group(0) @binding(2) var<storage, read> reconstruction: array<f32>;
@group(0) @binding(3) var<storage, read> correct: array<f32>;
@group(0) @binding(4) var<storage, read> entropy: array<f32>;
@group(0) @binding(5) var<storage, read_write> ledger: array<f32>;

var<workgroup> sums: array<vec4f, LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    var own = vec4f();
    for (var image = lane; image < run.live; image += LANES) {
        own += vec4f(margin[image], reconstruction[image], correct[image], entropy[image]);
    }
    sums[lane] = own;
    workgroupBarrier();
    if (lane == 0u) {
        var total = vec4f();
        for (var k = 0u; k < LANES; k++) {
            total += sums[k];
        }
        let row = run.row * COLUMNS;
        if (run.accumulate != 1u) {
            for (var column = 0u; column < COLUMNS; column++) {
                ledger[row + column] = 0.0;
            }
        }
        ledger[row + MARGIN] += total.x;
        ledger[row + RECONSTRUCTION] += total.y;
        ledger[row + CORRECT] += total.z;
        ledger[row + ENTROPY] += total.w;
        ledger[row + IMAGES] += f32(run.live);
    }
}
