#import routing

// What the forward pass has left: every iteration's s, of which v is squashed once more. The shader binds `history`.

// n/(1+n²) of every iteration's s.
var<workgroup> factor: array<f32, ROUNDS * PARENTS>;

fn s_of(problem: u32, t: u32, e: u32) -> f32 {
    return history[(problem * rounds + t) * POSE + e];
}

fn v_of(problem: u32, t: u32, e: u32) -> f32 {
    return factor[t * PARENTS + e / DIMS] * s_of(problem, t, e);
}

fn squash_history(problem: u32, lane: u32) {
    for (var k = lane; k < run.iterations * PARENTS; k += LANES) {
        var s = array<f32, DIMS>();
        for (var d = 0u; d < DIMS; d++) {
            s[d] = s_of(problem, k / PARENTS, k % PARENTS * DIMS + d);
        }
        factor[k] = squash_factor(length_of(&s));
    }
}
