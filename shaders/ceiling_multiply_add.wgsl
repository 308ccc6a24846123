// x [N, 8·4] → y [N, 8·4]: as many multiply-adds as the device does, on numbers that stay in registers.
#import run

@group(0) @binding(1) var<storage, read> x: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;

override invocations: u32;
override rounds: u32;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = place(group, groups) * LANES + lane;
    if (k < invocations) {
        let factor = vec4f(0.999);
        let summand = vec4f(0.001);
        var a = x[8u * k];
        var b = x[8u * k + 1u];
        var c = x[8u * k + 2u];
        var d = x[8u * k + 3u];
        var e = x[8u * k + 4u];
        var f = x[8u * k + 5u];
        var g = x[8u * k + 6u];
        var h = x[8u * k + 7u];
        for (var round = 0u; round < rounds; round++) {
            a = a * factor + summand;
            b = b * factor + summand;
            c = c * factor + summand;
            d = d * factor + summand;
            e = e * factor + summand;
            f = f * factor + summand;
            g = g * factor + summand;
            h = h * factor + summand;
        }
        y[8u * k] = a;
        y[8u * k + 1u] = b;
        y[8u * k + 2u] = c;
        y[8u * k + 3u] = d;
        y[8u * k + 4u] = e;
        y[8u * k + 5u] = f;
        y[8u * k + 6u] = g;
        y[8u * k + 7u] = h;
    }
}
