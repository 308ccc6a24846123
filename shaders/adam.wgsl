// gradients [N] → parameters, first_moments, second_moments [N], in place (Kingma & Ba 2015, algorithm 1).
#import run

@group(0) @binding(1) var<storage, read> gradients: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> parameters: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> first_moments: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> second_moments: array<vec4f>;

// Quadruples of the flat buffers: their length is a multiple of four.
override quads: u32;
override beta1: f32;
override beta2: f32;
override epsilon: f32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = place(group, groups) * LANES + lane;
    if (k < quads) {
        let g = gradients[k];
        let m = beta1 * first_moments[k] + (1.0 - beta1) * g;
        let v = beta2 * second_moments[k] + (1.0 - beta2) * g * g;
        first_moments[k] = m;
        second_moments[k] = v;
        parameters[k] -= run.rate * (m / run.first_correction) / (sqrt(v / run.second_correction) + epsilon);
    }
}
