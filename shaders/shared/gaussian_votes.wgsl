#import gaussians

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
// Of a chunk of children: what each parent is responsible for, and what is made of it.
var<workgroup> share: array<f32, CHUNK * PARENTS>;

fn find_bases(problem: u32, t: u32, lane: u32) {
    for (var j = lane; j < PARENTS && t > 0u; j += LANES) {
        base[j] = base_of(parent_of(problem, t - 1u, j));
    }
}

// R of one child in iteration t; `vote` is the first number of its votes, `row` its first share.
fn respond(problem: u32, t: u32, vote: u32, row: u32) {
    var largest = -3.4e38;
    for (var j = 0u; j < PARENTS; j++) {
        var q = 0.0;
        if (t > 0u) {
            q = judge(vote + j * DIMS, parent_of(problem, t - 1u, j), base[j]);
        }
        share[row + j] = q;
        largest = max(largest, q);
    }
    var sum = 0.0;
    for (var j = 0u; j < PARENTS; j++) {
        share[row + j] = exp(share[row + j] - largest);
        sum += share[row + j];
    }
    for (var j = 0u; j < PARENTS; j++) {
        share[row + j] /= sum;
    }
}
