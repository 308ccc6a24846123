#import run
#import pose

// A routed layer: problems of I children and PARENTS parents of DIMS numbers; POSE = PARENTS · DIMS.
override positions: u32;
override children: u32;
// Iterations that a trace has room for.
override rounds: u32;
// √D.
override root: f32;

// Factors of the squash v = h s/n with h = 1 − e^{−n}: h/n, and what s (s·g) is multiplied by in its gradient,
// (e^{−n} − h/n)/n², 0 at n = 0. Where e^{−n} is near 1 both come from their series in n.
fn squash_factors(n: f32) -> vec2f {
    let rest = exp(-n);
    let far = (1.0 - rest) / max(n, 0.0625);
    if (n >= 0.0625) {
        return vec2f(far, (rest - far) / (n * n));
    }
    let near = 1.0 - n * (1.0 / 2.0 - n * (1.0 / 6.0 - n * (1.0 / 24.0 - n * (1.0 / 120.0 - n / 720.0))));
    let slope = -1.0 / 2.0 + n * (1.0 / 3.0 - n * (1.0 / 8.0 - n * (1.0 / 30.0 - n / 144.0)));
    return vec2f(near, select(0.0, slope / n, n > 0.0));
}
