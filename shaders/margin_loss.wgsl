// v [B, J, D], lengths [B, J], labels, second_labels [B] → gv [B, J, D], margin [B], correct [B] (Sabour et al. 2017, equation 4).
// An invocation a capsule, which is present if one of the labels names it; that of class 0 also adds up its image's loss. 0 is the gradient at v = 0.
#import run

@group(0) @binding(1) var<storage, read> v: array<f32>;
@group(0) @binding(2) var<storage, read> lengths: array<f32>;
@group(0) @binding(3) var<storage, read> labels: array<f32>;
@group(0) @binding(4) var<storage, read> second_labels: array<f32>;
@group(0) @binding(5) var<storage, read_write> gv: array<f32>;
@group(0) @binding(6) var<storage, read_write> margin: array<f32>;
@group(0) @binding(7) var<storage, read_write> correct: array<f32>;

override classes: u32;
override dims: u32;
override m_plus: f32;
override m_minus: f32;
override down_weight: f32;

// One class's loss and its derivative by the length; of what is no number, none (where `max` would say 0).
fn loss_of(length: f32, is_present: bool) -> vec2f {
    let up = select(m_plus - length, 0.0, length > m_plus);
    let down = select(length - m_minus, 0.0, length < m_minus);
    let absent = down_weight * vec2f(down * down, 2.0 * down);
    return select(absent, vec2f(up * up, -2.0 * up), is_present);
}

// Whether the label counts as longer than class j: the first of equals does, and nothing that is no number.
fn beats(label: u32, j: u32, n: f32, image: u32) -> bool {
    let own = lengths[image * classes + label];
    return own > n || (own >= n && label < j);
}

fn finish_image(image: u32, label: u32, second: u32) {
    var loss = 0.0;
    var is_beaten = false;
    for (var j = 0u; j < classes; j++) {
        let n = lengths[image * classes + j];
        let is_present = j == label || j == second;
        loss += loss_of(n, is_present).x;
        is_beaten = is_beaten || (!is_present && !(beats(label, j, n, image) && beats(second, j, n, image)));
    }
    margin[image] = loss;
    correct[image] = select(1.0, 0.0, is_beaten);
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let capsule = place(group, groups) * LANES + lane;
    if (capsule < run.live * classes) {
        let image = capsule / classes;
        let j = capsule % classes;
        let label = u32(labels[image]);
        let second = u32(second_labels[image]);
        let n = lengths[capsule];
        var factor = 0.0;
        if (n > 0.0) {
            factor = loss_of(n, j == label || j == second).y / (n * run.total);
        }
        for (var d = 0u; d < dims; d++) {
            gv[capsule * dims + d] = factor * v[capsule * dims + d];
        }
        if (j == 0u) {
            finish_image(image, label, second);
        }
    }
}
