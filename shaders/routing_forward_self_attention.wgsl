// votes [B, P, I, J, D], prior [I, J] → sums [B, P, 2, J, D] (S and s), v [B, P, J, D], entropy [B] (Mazzia et al. 2021). A
// workgroup has an image. In turns, its lanes own numbers of a pose (sums over the children) and children (coefficients).
#import attention
#import route_images

@group(0) @binding(1) var<storage, read> votes: array<f32>;
@group(0) @binding(2) var<storage, read> prior: array<f32>;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;
@group(0) @binding(4) var<storage, read_write> v: array<f32>;
@group(0) @binding(5) var<storage, read_write> entropy: array<f32>;

// S, then s.
var<workgroup> sum: array<f32, POSE>;
// Coefficients of a chunk of children.
var<workgroup> coupling: array<f32, CHUNK * PARENTS>;
var<workgroup> factor: array<f32, PARENTS>;

// One child's coefficients; returns the entropy of their part without the prior.
fn attend(vote: u32, child: u32, row: u32) -> f32 {
    var largest = -3.4e38;
    for (var j = 0u; j < PARENTS; j++) {
        var logit = 0.0;
        for (var d = 0u; d < DIMS; d++) {
            logit += votes[vote + j * DIMS + d] * sum[j * DIMS + d];
        }
        coupling[row + j] = logit / root;
        largest = max(largest, logit / root);
    }
    var whole = 0.0;
    for (var j = 0u; j < PARENTS; j++) {
        coupling[row + j] = exp(coupling[row + j] - largest);
        whole += coupling[row + j];
    }
    var entropy_of_child = 0.0;
    for (var j = 0u; j < PARENTS; j++) {
        let p = coupling[row + j] / whole;
        if (p > 0.0) {
            entropy_of_child -= p * log(p);
        }
        coupling[row + j] = p + prior[child * PARENTS + j];
    }
    return entropy_of_child;
}

fn route(problem: u32, lane: u32) -> f32 {
    let first = problem * children * POSE;
    workgroupBarrier();
    for (var e = lane; e < POSE; e += LANES) {
        var total = 0.0;
        for (var i = 0u; i < children; i++) {
            total += votes[first + i * POSE + e];
        }
        sum[e] = total;
        sums[problem * 2u * POSE + e] = total;
    }
    var own_entropy = 0.0;
    var s = array<f32, OWNED>();
    for (var chunk = 0u; chunk < children; chunk += CHUNK) {
        workgroupBarrier();
        if (lane < CHUNK && chunk + lane < children) {
            own_entropy += attend(first + (chunk + lane) * POSE, chunk + lane, lane * PARENTS);
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
    workgroupBarrier();
    for (var k = 0u; k < OWNED; k++) {
        let e = lane + k * LANES;
        if (e < POSE) {
            sum[e] = s[k];
            sums[(problem * 2u + 1u) * POSE + e] = s[k];
        }
    }
    workgroupBarrier();
    for (var j = lane; j < PARENTS; j += LANES) {
        var pose = array<f32, DIMS>();
        for (var d = 0u; d < DIMS; d++) {
            pose[d] = sum[j * DIMS + d];
        }
        factor[j] = squash_factors(length_of(&pose)).x;
    }
    workgroupBarrier();
    for (var e = lane; e < POSE; e += LANES) {
        v[problem * POSE + e] = factor[e / DIMS] * sum[e];
    }
    return own_entropy;
}
