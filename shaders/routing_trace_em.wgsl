// votes [B, P, I, J, D], statistics [B, P, R, J, 2D + 2] → q as logits and R as coupling [B, P, R, I, J], v [B, P, R, J, D]. A
// workgroup has a problem; its lanes own parents, then children, then parents.
#import gaussians

@group(0) @binding(1) var<storage, read> votes: array<f32>;
@group(0) @binding(2) var<storage, read> statistics: array<f32>;
@group(0) @binding(3) var<storage, read_write> logits: array<f32>;
@group(0) @binding(4) var<storage, read_write> coupling: array<f32>;
@group(0) @binding(5) var<storage, read_write> vs: array<f32>;

// One child's q and R in iteration t; `row` is where they go.
fn respond(problem: u32, t: u32, vote: u32, row: u32) {
    var largest = -3.4e38;
    for (var j = 0u; j < PARENTS; j++) {
        var q = 0.0;
        if (t > 0u) {
            q = judge(vote + j * DIMS, parent_of(problem, t - 1u, j), base[j]);
        }
        logits[row + j] = q;
        largest = max(largest, q);
    }
    var sum = 0.0;
    for (var j = 0u; j < PARENTS; j++) {
        coupling[row + j] = exp(logits[row + j] - largest);
        sum += coupling[row + j];
    }
    for (var j = 0u; j < PARENTS; j++) {
        coupling[row + j] /= sum;
    }
}

// v = a μ/(‖μ‖ + 1e-6).
fn aim(problem: u32, t: u32, j: u32) {
    let first = parent_of(problem, t, j);
    var mean = array<f32, DIMS>();
    for (var d = 0u; d < DIMS; d++) {
        mean[d] = statistics[first + d];
    }
    let factor = sigmoid(statistics[first + 2u * DIMS]) / (length_of(&mean) + 1e-6);
    for (var d = 0u; d < DIMS; d++) {
        vs[(problem * rounds + t) * POSE + j * DIMS + d] = factor * mean[d];
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
    for (var t = 0u; t < run.iterations; t++) {
        workgroupBarrier();
        if (is_live) {
            find_bases(problem, t, lane);
        }
        workgroupBarrier();
        for (var child = lane; child < children && is_live; child += LANES) {
            respond(problem, t, (problem * children + child) * POSE, ((problem * rounds + t) * children + child) * PARENTS);
        }
        for (var j = lane; j < PARENTS && is_live; j += LANES) {
            aim(problem, t, j);
        }
    }
}
