#import run
#import pose

// A routed layer: problems of I children and PARENTS parents of DIMS numbers; POSE = PARENTS · DIMS.
override positions: u32;
override children: u32;
// Iterations that the history has room for.
override rounds: u32;

// Σ v over the iterations before this one.
var<workgroup> agreed: array<f32, POSE>;
// Coupling coefficients of a chunk of children.
var<workgroup> coupling: array<f32, CHUNK * PARENTS>;

// One child's coupling coefficients, by softmax over the parents of its votes' agreement with Σ v. `vote` is the first
// number of its votes, `row` its first coefficient. No logits are stored: they start at zero, so they are a product.
fn couple(vote: u32, row: u32, iteration: u32) {
    var largest = -3.4e38;
    for (var j = 0u; j < PARENTS; j++) {
        var logit = 0.0;
        for (var d = 0u; d < DIMS && iteration > 0u; d++) {
            logit += votes[vote + j * DIMS + d] * agreed[j * DIMS + d];
        }
        coupling[row + j] = logit;
        largest = max(largest, logit);
    }
    var sum = 0.0;
    for (var j = 0u; j < PARENTS; j++) {
        let c = exp(coupling[row + j] - largest);
        coupling[row + j] = c;
        sum += c;
    }
    for (var j = 0u; j < PARENTS; j++) {
        coupling[row + j] /= sum;
    }
}
