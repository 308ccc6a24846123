#import run
#import pose
#import coefficients

// A routed layer: problems of I children and PARENTS parents of DIMS numbers; POSE = PARENTS · DIMS.
override positions: u32;
override children: u32;
// Iterations that the history has room for.
override rounds: u32;

// Σ v over the iterations before this one.
var<workgroup> agreed: array<f32, POSE>;
// Coupling coefficients of a chunk of children.
var<workgroup> coupling: array<f32, CHUNK * PARENTS>;

// One child's coupling coefficients, as a rule by softmax over the parents of its votes' agreement with Σ v. `vote` is the
// first number of its votes, `row` its first coefficient. No logits are stored: they start at zero, so they are a product.
fn couple(vote: u32, row: u32, iteration: u32) {
    let agrees = iteration > 0u && coefficients < UNIFORM;
    var largest = least_logit();
    for (var j = 0u; j < PARENTS; j++) {
        var logit = 0.0;
        for (var d = 0u; d < DIMS && agrees; d++) {
            logit += votes[vote + j * DIMS + d] * agreed[j * DIMS + d];
        }
        coupling[row + j] = logit;
        largest = max(largest, logit);
    }
    var sum = leak(largest);
    for (var j = 0u; j < PARENTS; j++) {
        let c = weight(coupling[row + j] - largest, vote / POSE % children * PARENTS + j);
        coupling[row + j] = c;
        sum += c;
    }
    for (var j = 0u; j < PARENTS; j++) {
        coupling[row + j] /= sum;
    }
}
