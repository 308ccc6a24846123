// What follows a dense layer's weighted sum: ReLU or sigmoid.
override sigmoid: bool;

fn activate(x: f32) -> f32 {
    // e of a negative number only: no overflow on either side.
    let e = exp(-abs(x));
    let logistic = select(1.0, e, x < 0.0) / (1.0 + e);
    return select(max(x, 0.0), logistic, sigmoid);
}

// The derivative, from the activation's value.
fn slope(y: f32) -> f32 {
    return select(select(0.0, 1.0, y > 0.0), y * (1.0 - y), sigmoid);
}
