// votes [B, P, I, J, D], history of s [B, P, R, J, D], gv [B, P, J, D] → gvotes [B, P, I, J, D], gbias [B, J, D] by image.
// A workgroup has an image and goes from the last iteration to the first (the formula: `routing::dynamic::Backward`). In
// turns, its lanes own children (coefficients c and the gradients Gb of their logits) and numbers of a pose.
#import routing_history

@group(0) @binding(1) var<storage, read> votes: array<f32>;
@group(0) @binding(2) var<storage, read> history: array<f32>;
@group(0) @binding(3) var<storage, read> gv: array<f32>;
@group(0) @binding(4) var<storage, read_write> gvotes: array<f32>;
@group(0) @binding(5) var<storage, read_write> gbias: array<f32>;

// Only the last weighted sum carries gradient.
override detached: bool;

// The gradient by s; until squash is differentiated, the one by v.
var<workgroup> gs: array<f32, POSE>;
// Squash's gradient is x·g + y·s.
var<workgroup> squashed: array<vec2f, PARENTS>;
// Gb of a chunk of children.
var<workgroup> gb: array<f32, CHUNK * PARENTS>;

// This lane's numbers of a pose: gradients by v, s and the bias, and v of the iteration before.
var<private> own_gv: array<f32, OWNED>;
var<private> own_gs: array<f32, OWNED>;
var<private> own_gbias: array<f32, OWNED>;
var<private> own_v_before: array<f32, OWNED>;
// Gb of this lane's children, over the iterations.
var<private> own_gb: array<f32, KEPT * PARENTS>;

// From the gradient by v to the one by s, in iteration t.
fn squash_back(problem: u32, t: u32, lane: u32) {
    for (var k = 0u; k < OWNED; k++) {
        let e = lane + k * LANES;
        if (e < POSE) {
            var sum = 0.0;
            for (var before = 0u; before < t; before++) {
                own_v_before[k] = v_of(problem, before, e);
                sum += own_v_before[k];
            }
            agreed[e] = sum;
            gs[e] = own_gv[k];
        }
    }
    workgroupBarrier();
    for (var j = lane; j < PARENTS; j += LANES) {
        var s = array<f32, DIMS>();
        var along = 0.0;
        for (var d = 0u; d < DIMS; d++) {
            s[d] = s_of(problem, t, j * DIMS + d);
            along += s[d] * gs[j * DIMS + d];
        }
        squashed[j] = squash_gradient(length_of(&s), along);
    }
    workgroupBarrier();
    for (var k = 0u; k < OWNED; k++) {
        let e = lane + k * LANES;
        if (e < POSE) {
            let factors = squashed[e / DIMS];
            own_gs[k] = factors.x * own_gv[k] + factors.y * s_of(problem, t, e);
            own_gbias[k] += own_gs[k];
            gs[e] = own_gs[k];
        }
        // From here on, the sum over the children that v of the iteration before receives.
        own_gv[k] = 0.0;
    }
}

// One child's coefficients, and the gradient of its logits where there is one; `own` is its first place in own_gb.
fn couple_back(vote: u32, row: u32, own: u32, t: u32, has_logits: bool) {
    couple(vote, row, t);
    var mean = 0.0;
    for (var j = 0u; j < PARENTS; j++) {
        var gc = 0.0;
        for (var d = 0u; d < DIMS && has_logits; d++) {
            gc += votes[vote + j * DIMS + d] * gs[j * DIMS + d];
        }
        gb[row + j] = gc;
        mean += coupling[row + j] * gc;
    }
    for (var j = 0u; j < PARENTS && has_logits; j++) {
        own_gb[own + j] += coupling[row + j] * (gb[row + j] - mean);
        gb[row + j] = own_gb[own + j];
    }
}

// This lane's numbers of a chunk's votes: their gradients, and their part in the gradient by v of the iteration before.
fn spread(vote: u32, count: u32, lane: u32, is_first: bool) {
    for (var k = 0u; k < OWNED; k++) {
        let e = lane + k * LANES;
        for (var i = 0u; i < count && e < POSE; i++) {
            let at = vote + i * POSE + e;
            let pair = i * PARENTS + e / DIMS;
            own_gv[k] += gb[pair] * votes[at];
            let now = coupling[pair] * own_gs[k] + gb[pair] * own_v_before[k];
            if (is_first) {
                gvotes[at] = now;
            } else {
                gvotes[at] += now;
            }
        }
    }
}

fn route_back(problem: u32, lane: u32) {
    for (var k = 0u; k < OWNED; k++) {
        own_gv[k] = gv[problem * POSE + min(lane + k * LANES, POSE - 1u)];
    }
    for (var k = 0u; k < KEPT * PARENTS; k++) {
        own_gb[k] = 0.0;
    }
    workgroupBarrier();
    squash_history(problem, lane);
    workgroupBarrier();
    let steps = select(run.iterations, 1u, detached);
    for (var step = 0u; step < steps; step++) {
        let t = run.iterations - 1u - step;
        squash_back(problem, t, lane);
        for (var chunk = 0u; chunk < children; chunk += CHUNK) {
            let vote = (problem * children + chunk) * POSE;
            workgroupBarrier();
            if (lane < CHUNK && chunk + lane < children) {
                couple_back(vote + lane * POSE, lane * PARENTS, chunk / CHUNK * PARENTS, t, t > 0u && !detached);
            }
            workgroupBarrier();
            spread(vote, min(CHUNK, children - chunk), lane, step == 0u);
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
            route_back(image * positions + position, lane);
        }
        for (var k = 0u; k < OWNED; k++) {
            let e = lane + k * LANES;
            if (e < POSE) {
                gbias[image * POSE + e] = own_gbias[k];
            }
        }
    }
}
