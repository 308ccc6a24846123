#import run

// What a sum starts from: the gradient that is there, or 0 in a batch's first chunk.
fn kept(value: f32) -> f32 {
    return select(0.0, value, run.accumulate == 1u);
}
