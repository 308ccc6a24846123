// votes [B, P, I, J, D], activation [B, P, I], beta [2, J] (β_u, β_a), statistics [B, P, R, J, 2D + 2], gfit [B, P, J, D + 1] →
// gvotes, gactivation, gbeta [B, 2, J] by image (the formula: `routing::em`'s twin). A workgroup has an image and goes from the last
// iteration to the first. In turns, its lanes own children, numbers of a pose, and parents.
#import gaussian_votes

@group(0) @binding(1) var<storage, read> votes: array<f32>;
@group(0) @binding(2) var<storage, read> activation: array<f32>;
@group(0) @binding(3) var<storage, read> beta: array<f32>;
@group(0) @binding(4) var<storage, read> statistics: array<f32>;
@group(0) @binding(5) var<storage, read> gfit: array<f32>;
@group(0) @binding(6) var<storage, read_write> gvotes: array<f32>;
@group(0) @binding(7) var<storage, read_write> gactivation: array<f32>;
@group(0) @binding(8) var<storage, read_write> gbeta: array<f32>;

// Gradients by this iteration's means and variances, from `activate_back` on over ρ, which alone may be too small for a
// float; by its masses; and (until they are passed on) by x.
var<workgroup> gmean: array<f32, POSE>;
var<workgroup> gvariance: array<f32, POSE>;
var<workgroup> gmass: array<f32, PARENTS>;
var<workgroup> gx: array<f32, PARENTS>;
// Gradients of a chunk's q over its children's activations.
var<workgroup> gq: array<f32, CHUNK * PARENTS>;

// From x to σ², the masses and beta, for one parent.
fn activate_back(problem: u32, t: u32, image: u32, j: u32, is_first: bool) {
    let first = parent_of(problem, t, j);
    let mass = statistics[first + 2u * DIMS + 1u];
    let g = inverse_temperature(t) * gx[j];
    let inverse = select(0.0, 1.0 / mass, mass > 0.0);
    var cost = f32(DIMS) * beta[j];
    for (var d = 0u; d < DIMS; d++) {
        let variance = max(statistics[first + DIMS + d], LEAST_VARIANCE);
        cost += 0.5 * log(variance);
        let e = j * DIMS + d;
        gmean[e] *= inverse;
        gvariance[e] = gvariance[e] * inverse - select(0.0, g / (2.0 * variance), mass > 0.0);
    }
    gmass[j] = -g * cost;
    let at = image * 2u * PARENTS + j;
    gbeta[at] = -g * mass * f32(DIMS) + select(gbeta[at], 0.0, is_first);
    gbeta[at + PARENTS] = g + select(gbeta[at + PARENTS], 0.0, is_first);
}

// One child: its part of every parent's mass into `share`, the gradient of its q, and its activation's.
fn child_back(problem: u32, t: u32, child: u32, row: u32, is_last: bool) {
    let vote = (problem * children + child) * POSE;
    let a = activation[problem * children + child];
    respond(problem, t, vote, row);
    var ga = 0.0;
    var shift = 0.0;
    for (var j = 0u; j < PARENTS; j++) {
        let first = parent_of(problem, t, j);
        var gshare = gmass[j];
        for (var d = 0u; d < DIMS; d++) {
            let e = j * DIMS + d;
            let away = votes[vote + e] - statistics[first + d];
            let spread = away * away - (statistics[first + DIMS + d] - LEAST_VARIANCE);
            gshare += away * gmean[e] + spread * gvariance[e];
        }
        ga += gshare * share[row + j];
        gq[row + j] = gshare;
        shift += share[row + j] * gq[row + j];
    }
    for (var j = 0u; j < PARENTS; j++) {
        gq[row + j] = share[row + j] * (gq[row + j] - shift);
        share[row + j] *= a;
    }
    let at = problem * children + child;
    gactivation[at] = ga + select(gactivation[at], 0.0, is_last);
}

// This lane's numbers of a chunk's votes: their gradients, and their part in those of the means and variances of the
// iteration before, which are returned.
fn spread_back(problem: u32, t: u32, chunk: u32, e: u32, is_last: bool) -> vec2f {
    let now = parent_of(problem, t, e / DIMS) + e % DIMS;
    let before = parent_of(problem, max(t, 1u) - 1u, e / DIMS) + e % DIMS;
    let half = 0.5 / max(statistics[before + DIMS], LEAST_VARIANCE);
    var g = vec2f();
    for (var i = 0u; i < min(CHUNK, children - chunk); i++) {
        let at = (problem * children + chunk + i) * POSE + e;
        let pair = i * PARENTS + e / DIMS;
        let a = activation[problem * children + chunk + i];
        var own = share[pair] * (gmean[e] + 2.0 * (votes[at] - statistics[now]) * gvariance[e]);
        if (t > 0u) {
            let away = votes[at] - statistics[before];
            let pull = a * (gq[pair] * half);
            own -= pull * 2.0 * away;
            g += vec2f(pull * 2.0 * away, pull * (2.0 * away * away * half - 1.0));
        }
        gvotes[at] = own + select(gvotes[at], 0.0, is_last);
    }
    return g;
}

fn route_back(image: u32, position: u32, lane: u32) {
    let problem = image * positions + position;
    workgroupBarrier();
    for (var e = lane; e < POSE; e += LANES) {
        gmean[e] = gfit[(problem * PARENTS + e / DIMS) * (DIMS + 1u) + e % DIMS];
        gvariance[e] = 0.0;
    }
    for (var j = lane; j < PARENTS; j += LANES) {
        let a = sigmoid(statistics[parent_of(problem, run.iterations - 1u, j) + 2u * DIMS]);
        gx[j] = gfit[(problem * PARENTS + j) * (DIMS + 1u) + DIMS] * a * (1.0 - a);
    }
    for (var step = 0u; step < run.iterations; step++) {
        let t = run.iterations - 1u - step;
        workgroupBarrier();
        for (var j = lane; j < PARENTS; j += LANES) {
            activate_back(problem, t, image, j, position == 0u && step == 0u);
        }
        find_bases(problem, t, lane);
        // Gradients of the iteration before: by this lane's means and variances, and by its parents' x.
        var own = array<vec2f, OWNED>();
        var own_gx = array<f32, SHARED>();
        for (var chunk = 0u; chunk < children; chunk += CHUNK) {
            workgroupBarrier();
            if (lane < CHUNK && chunk + lane < children) {
                child_back(problem, t, chunk + lane, lane * PARENTS, step == 0u);
            }
            workgroupBarrier();
            for (var k = 0u; k < OWNED; k++) {
                let e = lane + k * LANES;
                if (e < POSE) {
                    own[k] += spread_back(problem, t, chunk, e, step == 0u);
                }
            }
            for (var k = 0u; k < SHARED; k++) {
                let j = lane + k * LANES;
                for (var i = 0u; i < min(CHUNK, children - chunk) && j < PARENTS; i++) {
                    own_gx[k] += activation[problem * children + chunk + i] * gq[i * PARENTS + j];
                }
            }
        }
        workgroupBarrier();
        for (var k = 0u; k < OWNED; k++) {
            let e = lane + k * LANES;
            if (e < POSE) {
                gmean[e] = own[k].x;
                gvariance[e] = own[k].y;
            }
        }
        for (var k = 0u; k < SHARED; k++) {
            let j = lane + k * LANES;
            if (j < PARENTS) {
                gx[j] = own_gx[k] * sigmoid(-statistics[parent_of(problem, max(t, 1u) - 1u, j) + 2u * DIMS]);
            }
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
