// What a child's coupling coefficients are made of: weights of its parents, to be divided by their sum and the leak.

// `routing::Coefficients` as a number; 0 is softmax.
override coefficients: u32;
const LEAKY: u32 = 1u;
const UNIFORM: u32 = 2u;
const RANDOM: u32 = 3u;

// Where the search for the largest logit starts: the leak's own logit is 0.
fn least_logit() -> f32 {
    return select(-3.4e38, 0.0, coefficients == LEAKY);
}

fn leak(largest: f32) -> f32 {
    return select(0.0, exp(-largest), coefficients == LEAKY);
}

// The weight of a parent whose logit is so much below the largest. `place` is the pair's number, i·J + j; random weights
// are 24 bits of its hash PCG-RXS-M-XS, above 0 and below 1.
fn weight(logit: f32, place: u32) -> f32 {
    let state = place * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    let chance = (f32(((word >> 22u) ^ word) >> 8u) + 0.5) / 16777216.0;
    return select(select(exp(logit), 1.0, coefficients == UNIFORM), chance, coefficients == RANDOM);
}
