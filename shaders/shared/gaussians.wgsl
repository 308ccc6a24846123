#import run
#import pose

// A routed layer of Gaussian parents: problems of I children and PARENTS parents of DIMS numbers; POSE = PARENTS · DIMS. Of
// every iteration's parent the `statistics` keep DIMS means, DIMS variances, x (the activation's logit) and the mass ρ. The
// shader binds `votes` and `statistics`.
override positions: u32;
override children: u32;
// Iterations that the statistics have room for.
override rounds: u32;

const KEPT: u32 = 2u * DIMS + 2u;
const LEAST_VARIANCE: f32 = 1e-9;

// Where a parent's statistics begin.
fn parent_of(problem: u32, t: u32, j: u32) -> u32 {
    return ((problem * rounds + t) * PARENTS + j) * KEPT;
}

// λ = 0.01 (1 − 0.95ᵗ), t from 1; by products, since `pow` is only nearly right.
fn inverse_temperature(t: u32) -> f32 {
    var left = 0.95;
    for (var k = 0u; k < t; k++) {
        left *= 0.95;
    }
    return 0.01 * (1.0 - left);
}

fn sigmoid(x: f32) -> f32 {
    return 1.0 / (1.0 + exp(-x));
}

fn ln_sigmoid(x: f32) -> f32 {
    return min(x, 0.0) - log(1.0 + exp(-abs(x)));
}

// The part of q that is the same for every child: ln a − Σ ½ ln 2πσ². `first` is where the parent's statistics begin.
fn base_of(first: u32) -> f32 {
    var sum = 0.0;
    for (var d = 0u; d < DIMS; d++) {
        sum += log(6.2831855 * max(statistics[first + DIMS + d], LEAST_VARIANCE));
    }
    return ln_sigmoid(statistics[first + 2u * DIMS]) - 0.5 * sum;
}

// One child's q for a parent of the iteration before.
fn judge(vote: u32, first: u32, base: f32) -> f32 {
    var distance = 0.0;
    for (var d = 0u; d < DIMS; d++) {
        let away = votes[vote + d] - statistics[first + d];
        distance += away * away / (2.0 * max(statistics[first + DIMS + d], LEAST_VARIANCE));
    }
    return base - distance;
}

var<workgroup> base: array<f32, PARENTS>;

fn find_bases(problem: u32, t: u32, lane: u32) {
    for (var j = lane; j < PARENTS && t > 0u; j += LANES) {
        base[j] = base_of(parent_of(problem, t - 1u, j));
    }
}
