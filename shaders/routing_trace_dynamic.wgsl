// votes [B, P, I, J, D], history of s [B, P, R, J, D] → every iteration's logits and coupling coefficients [B, P, R, I, J] and
// v [B, P, R, J, D]. A workgroup has a problem; its lanes own children, then parents.
#import run
#import pose
#import coefficients

@group(0) @binding(1) var<storage, read> votes: array<f32>;
@group(0) @binding(2) var<storage, read> history: array<f32>;
@group(0) @binding(3) var<storage, read_write> logits: array<f32>;
@group(0) @binding(4) var<storage, read_write> coupling: array<f32>;
@group(0) @binding(5) var<storage, read_write> vs: array<f32>;

override positions: u32;
override children: u32;
override rounds: u32;

// Σ v over the iterations before this one.
var<workgroup> agreed: array<f32, POSE>;

// One child's logits and coefficients; `row` is where they go.
fn couple(vote: u32, row: u32) {
    var largest = least_logit();
    for (var j = 0u; j < PARENTS; j++) {
        var logit = 0.0;
        for (var d = 0u; d < DIMS; d++) {
            logit += votes[vote + j * DIMS + d] * agreed[j * DIMS + d];
        }
        logits[row + j] = logit;
        largest = max(largest, logit);
    }
    var sum = leak(largest);
    for (var j = 0u; j < PARENTS; j++) {
        let c = weight(logits[row + j] - largest, vote / POSE % children * PARENTS + j);
        coupling[row + j] = c;
        sum += c;
    }
    for (var j = 0u; j < PARENTS; j++) {
        coupling[row + j] /= sum;
    }
}

// One parent's v, and into Σ v.
fn agree(at: u32, j: u32) {
    var s = array<f32, DIMS>();
    for (var d = 0u; d < DIMS; d++) {
        s[d] = history[at + j * DIMS + d];
    }
    let factor = squash_factor(length_of(&s));
    for (var d = 0u; d < DIMS; d++) {
        vs[at + j * DIMS + d] = factor * s[d];
        agreed[j * DIMS + d] += factor * s[d];
    }
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let problem = place(group, groups);
    let is_live = problem < run.live * positions;
    for (var e = lane; e < POSE; e += LANES) {
        agreed[e] = 0.0;
    }
    for (var t = 0u; t < run.iterations; t++) {
        workgroupBarrier();
        for (var child = lane; child < children && is_live; child += LANES) {
            let row = ((problem * rounds + t) * children + child) * PARENTS;
            couple((problem * children + child) * POSE, row);
        }
        workgroupBarrier();
        for (var j = lane; j < PARENTS && is_live; j += LANES) {
            agree((problem * rounds + t) * POSE, j);
        }
    }
}
