// Length and squash of a pose of DIMS numbers.

// Squares of numbers below 1e-19 vanish where subnormal numbers are flushed to zero. Small poses are therefore measured
// in units of 2⁻⁶⁴, a power of two, so that no digit changes.
const SMALL: f32 = 1e-9;
const UNITS: f32 = 18446744073709551616.0;

fn length_of(s: ptr<function, array<f32, DIMS>>) -> f32 {
    var largest = 0.0;
    for (var d = 0u; d < DIMS; d++) {
        largest = max(largest, abs((*s)[d]));
    }
    let units = select(1.0, UNITS, largest < SMALL);
    var square = 0.0;
    for (var d = 0u; d < DIMS; d++) {
        let scaled = units * (*s)[d];
        square += scaled * scaled;
    }
    return sqrt(square) / units;
}

// v = s · n/(1+n²), n = ‖s‖.
fn squash_factor(n: f32) -> f32 {
    return n / (1.0 + n * n);
}

// The gradient at s of g·squash(s) is x·g + y·s, with `along` = s·g; 0 at s = 0.
fn squash_gradient(n: f32, along: f32) -> vec2f {
    let q = 1.0 + n * n;
    var factors = vec2f();
    if (n > 0.0) {
        factors = vec2f(n / q, (1.0 - n * n) / (q * q * n) * along);
    }
    return factors;
}
