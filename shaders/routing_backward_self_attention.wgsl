// votes [B, P, I, J, D], sums [B, P, 2, J, D] (S and s), prior [I, J], gv [B, P, J, D] → gvotes [B, P, I, J, D], gprior
// [B, I, J] by image (the formula: `routing::self_attention::Backward`). A workgroup has an image. In turns, its lanes own
// children (coefficients and the gradients of their logits) and numbers of a pose.
#import attention

@group(0) @binding(1) var<storage, read> votes: array<f32>;
@group(0) @binding(2) var<storage, read> sums: array<f32>;
@group(0) @binding(3) var<storage, read> prior: array<f32>;
@group(0) @binding(4) var<storage, read> gv: array<f32>;
@group(0) @binding(5) var<storage, read_write> gvotes: array<f32>;
@group(0) @binding(6) var<storage, read_write> gprior: array<f32>;

// S.
var<workgroup> total: array<f32, POSE>;
// Coefficients of a chunk of children, and the gradients of their logits over √D.
var<workgroup> coupling: array<f32, CHUNK * PARENTS>;
var<workgroup> ga: array<f32, CHUNK * PARENTS>;
// The gradient by s.
var<workgroup> gs: array<f32, POSE>;
// The squash's gradient is x·g + y·s.
var<workgroup> squashed: array<vec2f, PARENTS>;

fn squash_back(problem: u32, lane: u32) {
    for (var e = lane; e < POSE; e += LANES) {
        total[e] = sums[problem * 2u * POSE + e];
    }
    for (var j = lane; j < PARENTS; j += LANES) {
        var s = array<f32, DIMS>();
        var along = 0.0;
        for (var d = 0u; d < DIMS; d++) {
            s[d] = sums[(problem * 2u + 1u) * POSE + j * DIMS + d];
            along += s[d] * gv[problem * POSE + j * DIMS + d];
        }
        let factors = squash_factors(length_of(&s));
        squashed[j] = vec2f(factors.x, factors.y * along);
    }
    workgroupBarrier();
    for (var e = lane; e < POSE; e += LANES) {
        let factors = squashed[e / DIMS];
        gs[e] = factors.x * gv[problem * POSE + e] + factors.y * sums[(problem * 2u + 1u) * POSE + e];
    }
}

// One child's coefficients and the gradients of its logits; adds its part of the prior's gradient.
fn attend_back(vote: u32, image: u32, child: u32, row: u32, is_first: bool) {
    var largest = -3.4e38;
    for (var j = 0u; j < PARENTS; j++) {
        var logit = 0.0;
        var gc = 0.0;
        for (var d = 0u; d < DIMS; d++) {
            logit += votes[vote + j * DIMS + d] * total[j * DIMS + d];
            gc += votes[vote + j * DIMS + d] * gs[j * DIMS + d];
        }
        coupling[row + j] = logit / root;
        ga[row + j] = gc;
        largest = max(largest, logit / root);
        let at = (image * children + child) * PARENTS + j;
        gprior[at] = gc + select(gprior[at], 0.0, is_first);
    }
    var whole = 0.0;
    var mean = 0.0;
    for (var j = 0u; j < PARENTS; j++) {
        coupling[row + j] = exp(coupling[row + j] - largest);
        whole += coupling[row + j];
        mean += coupling[row + j] * ga[row + j];
    }
    for (var j = 0u; j < PARENTS; j++) {
        let p = coupling[row + j] / whole;
        ga[row + j] = p * (ga[row + j] - mean / whole) / root;
        coupling[row + j] = p + prior[child * PARENTS + j];
    }
}

fn route_back(image: u32, position: u32, lane: u32) {
    let problem = image * positions + position;
    let first = problem * children * POSE;
    workgroupBarrier();
    squash_back(problem, lane);
    // Σ_k ga_kj û_kj/√D, which every child receives.
    var everyones = array<f32, OWNED>();
    for (var chunk = 0u; chunk < children; chunk += CHUNK) {
        workgroupBarrier();
        if (lane < CHUNK && chunk + lane < children) {
            attend_back(first + (chunk + lane) * POSE, image, chunk + lane, lane * PARENTS, position == 0u);
        }
        workgroupBarrier();
        let end = min(CHUNK, children - chunk);
        for (var k = 0u; k < OWNED; k++) {
            let e = lane + k * LANES;
            for (var i = 0u; i < end && e < POSE; i++) {
                let at = first + (chunk + i) * POSE + e;
                let pair = i * PARENTS + e / DIMS;
                everyones[k] += ga[pair] * votes[at];
                gvotes[at] = coupling[pair] * gs[e] + ga[pair] * total[e];
            }
        }
    }
    for (var k = 0u; k < OWNED; k++) {
        let e = lane + k * LANES;
        for (var i = 0u; i < children && e < POSE; i++) {
            gvotes[first + i * POSE + e] += everyones[k];
        }
    }
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let image = place(group, groups);
    if (image < run.live) {
        for (var position = 0u; position < positions; position++) {
            route_back(image, position, lane);
        }
    }
}
