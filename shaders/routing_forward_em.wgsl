// votes [B, P, I, J, D], activation [B, P, I], beta [2, J] (β_u, β_a) → statistics [B, P, R, J, 2D + 2], fit [B, P, J, D + 1] (μ, a),
// entropy [B] (the formula: `routing::em`). A workgroup has an image. In turns, its lanes own children (shares), numbers
// of a pose (means and variances: sums over the children) and parents.
#import gaussian_votes
#import route_images

@group(0) @binding(1) var<storage, read> votes: array<f32>;
@group(0) @binding(2) var<storage, read> activation: array<f32>;
@group(0) @binding(3) var<storage, read> beta: array<f32>;
@group(0) @binding(4) var<storage, read_write> statistics: array<f32>;
@group(0) @binding(5) var<storage, read_write> fit: array<f32>;
@group(0) @binding(6) var<storage, read_write> entropy: array<f32>;

var<workgroup> mean: array<f32, POSE>;
var<workgroup> variance: array<f32, POSE>;
var<workgroup> mass: array<f32, PARENTS>;

// Shares are summed in units of 2⁻³², so that a product of two tiny numbers does not vanish.
const UNITS_OF_SHARES: f32 = 4294967296.0;

// −Σ R ln R of one child.
fn entropy_of(row: u32) -> f32 {
    var sum = 0.0;
    for (var j = 0u; j < PARENTS; j++) {
        let r = share[row + j];
        if (r > 0.0) {
            sum -= r * log(r);
        }
    }
    return sum;
}

// One sum over the children for every number of the pose: of the masses and the means, or of the variances. Returns this
// lane's children's entropy.
fn sum_up(problem: u32, t: u32, lane: u32, is_second: bool) -> f32 {
    let first = problem * children * POSE;
    var own_entropy = 0.0;
    var own = array<f32, OWNED>();
    var own_mass = array<f32, OWNED>();
    for (var chunk = 0u; chunk < children; chunk += CHUNK) {
        workgroupBarrier();
        if (lane < CHUNK && chunk + lane < children) {
            let row = lane * PARENTS;
            respond(problem, t, first + (chunk + lane) * POSE, row);
            own_entropy += entropy_of(row);
            let a = UNITS_OF_SHARES * activation[problem * children + chunk + lane];
            for (var j = 0u; j < PARENTS; j++) {
                share[row + j] *= a;
            }
        }
        workgroupBarrier();
        let end = min(CHUNK, children - chunk);
        for (var k = 0u; k < OWNED; k++) {
            let e = lane + k * LANES;
            for (var i = 0u; i < end && e < POSE; i++) {
                let weight = share[i * PARENTS + e / DIMS];
                let x = votes[first + (chunk + i) * POSE + e];
                let away = x - mean[e];
                own[k] += select(weight * x, weight * away * away, is_second);
                own_mass[k] += weight;
            }
        }
    }
    workgroupBarrier();
    for (var k = 0u; k < OWNED; k++) {
        let e = lane + k * LANES;
        if (e < POSE) {
            let inverse = select(0.0, 1.0 / own_mass[k], own_mass[k] > 0.0);
            if (is_second) {
                variance[e] = own[k] * inverse + LEAST_VARIANCE;
            } else {
                mean[e] = own[k] * inverse;
            }
            if (e % DIMS == 0u) {
                mass[e / DIMS] = own_mass[k] / UNITS_OF_SHARES;
            }
        }
    }
    workgroupBarrier();
    return own_entropy;
}

// One parent's activation, and what is kept of it.
fn settle(problem: u32, t: u32, j: u32) {
    let first = parent_of(problem, t, j);
    var cost = f32(DIMS) * beta[j];
    for (var d = 0u; d < DIMS; d++) {
        cost += 0.5 * log(variance[j * DIMS + d]);
        statistics[first + d] = mean[j * DIMS + d];
        statistics[first + DIMS + d] = variance[j * DIMS + d];
    }
    let x = inverse_temperature(t) * (beta[PARENTS + j] - mass[j] * cost);
    statistics[first + 2u * DIMS] = x;
    statistics[first + 2u * DIMS + 1u] = mass[j];
    let of_fit = (problem * PARENTS + j) * (DIMS + 1u);
    for (var d = 0u; d < DIMS; d++) {
        fit[of_fit + d] = mean[j * DIMS + d];
    }
    fit[of_fit + DIMS] = sigmoid(x);
}

fn route(problem: u32, lane: u32) -> f32 {
    var own_entropy = 0.0;
    for (var t = 0u; t < run.iterations; t++) {
        storageBarrier();
        workgroupBarrier();
        find_bases(problem, t, lane);
        own_entropy = sum_up(problem, t, lane, false);
        sum_up(problem, t, lane, true);
        for (var j = lane; j < PARENTS; j += LANES) {
            settle(problem, t, j);
        }
    }
    return own_entropy;
}
