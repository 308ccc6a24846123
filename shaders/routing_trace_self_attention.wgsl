// votes [B, P, I, J, D], sums [B, P, 2, J, D] (S and s), prior [I, J] → logits and coupling [B, P, R, I, J], v
// [B, P, R, J, D], the same for every iteration that the run asks for. A workgroup has a problem; its lanes own children,
// then parents.
#import attention

@group(0) @binding(1) var<storage, read> votes: array<f32>;
@group(0) @binding(2) var<storage, read> sums: array<f32>;
@group(0) @binding(3) var<storage, read> prior: array<f32>;
@group(0) @binding(4) var<storage, read_write> logits: array<f32>;
@group(0) @binding(5) var<storage, read_write> coupling: array<f32>;
@group(0) @binding(6) var<storage, read_write> vs: array<f32>;

// One child's logits and coefficients; `row` is where they go.
fn attend(vote: u32, total: u32, child: u32, row: u32) {
    var largest = -3.4e38;
    for (var j = 0u; j < PARENTS; j++) {
        var logit = 0.0;
        for (var d = 0u; d < DIMS; d++) {
            logit += votes[vote + j * DIMS + d] * sums[total + j * DIMS + d];
        }
        logits[row + j] = logit / root;
        largest = max(largest, logit / root);
    }
    var whole = 0.0;
    for (var j = 0u; j < PARENTS; j++) {
        coupling[row + j] = exp(logits[row + j] - largest);
        whole += coupling[row + j];
    }
    for (var j = 0u; j < PARENTS; j++) {
        coupling[row + j] = coupling[row + j] / whole + prior[child * PARENTS + j];
    }
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let problem = place(group, groups);
    if (problem < run.live * positions) {
        for (var t = 0u; t < run.iterations; t++) {
            for (var child = lane; child < children; child += LANES) {
                let row = ((problem * rounds + t) * children + child) * PARENTS;
                attend((problem * children + child) * POSE, problem * 2u * POSE, child, row);
            }
            for (var j = lane; j < PARENTS; j += LANES) {
                var s = array<f32, DIMS>();
                for (var d = 0u; d < DIMS; d++) {
                    s[d] = sums[(problem * 2u + 1u) * POSE + j * DIMS + d];
                }
                let factor = squash_factors(length_of(&s)).x;
                for (var d = 0u; d < DIMS; d++) {
                    vs[(problem * rounds + t) * POSE + j * DIMS + d] = factor * s[d];
                }
            }
        }
    }
}
