// votes [B, P, I, J, D], bias [J, D] → history of s [B, P, R, J, D], v [B, P, J, D], entropy [B] (Sabour et al. 2017,
// procedure 1). A workgroup has an image. In turns, its lanes own children (their coefficients) and numbers of s (a sum
// over the children), chunk by chunk.
#import routing
#import route_images

@group(0) @binding(1) var<storage, read> votes: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> history: array<f32>;
@group(0) @binding(4) var<storage, read_write> v: array<f32>;
@group(0) @binding(5) var<storage, read_write> entropy: array<f32>;

var<workgroup> factor: array<f32, PARENTS>;

// n/(1+n²) of the parents' s, which lie where Σ v will.
fn squash_parents(lane: u32) {
    for (var j = lane; j < PARENTS; j += LANES) {
        var s = array<f32, DIMS>();
        for (var d = 0u; d < DIMS; d++) {
            s[d] = agreed[j * DIMS + d];
        }
        factor[j] = squash_factor(length_of(&s));
    }
}

// −Σ c ln c of one child.
fn entropy_of(row: u32) -> f32 {
    var sum = 0.0;
    for (var j = 0u; j < PARENTS; j++) {
        let c = coupling[row + j];
        if (c > 0.0) {
            sum -= c * log(c);
        }
    }
    return sum;
}

// All iterations of one problem; returns this lane's children's entropy in the last one.
fn route(problem: u32, lane: u32) -> f32 {
    let first = problem * children * POSE;
    var own_entropy = 0.0;
    // This lane's numbers of Σ v.
    var total = array<f32, OWNED>();
    for (var t = 0u; t < run.iterations; t++) {
        var s = array<f32, OWNED>();
        for (var chunk = 0u; chunk < children; chunk += CHUNK) {
            workgroupBarrier();
            if (lane < CHUNK && chunk + lane < children) {
                couple(first + (chunk + lane) * POSE, lane * PARENTS, t);
                if (t + 1u == run.iterations) {
                    own_entropy += entropy_of(lane * PARENTS);
                }
            }
            workgroupBarrier();
            let end = min(CHUNK, children - chunk);
            for (var k = 0u; k < OWNED; k++) {
                let e = lane + k * LANES;
                for (var i = 0u; i < end && e < POSE; i++) {
                    s[k] += coupling[i * PARENTS + e / DIMS] * votes[first + (chunk + i) * POSE + e];
                }
            }
        }
        for (var k = 0u; k < OWNED; k++) {
            let e = lane + k * LANES;
            if (e < POSE) {
                s[k] += bias[e];
                history[(problem * rounds + t) * POSE + e] = s[k];
                agreed[e] = s[k];
            }
        }
        workgroupBarrier();
        squash_parents(lane);
        workgroupBarrier();
        for (var k = 0u; k < OWNED; k++) {
            let e = lane + k * LANES;
            if (e < POSE) {
                let now = factor[e / DIMS] * s[k];
                total[k] += now;
                agreed[e] = total[k];
                v[problem * POSE + e] = now;
            }
        }
    }
    return own_entropy;
}
