#import gaussians

// Of a chunk of children: what each parent is responsible for, and what is made of it.
var<workgroup> share: array<f32, CHUNK * PARENTS>;

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
