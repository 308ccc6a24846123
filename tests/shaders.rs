//! Every shader, resolved as the engine does for every specimen of every operation, is valid WGSL for naga and for tint,
//! keeps to WebGPU's default limits, and binds what the Rust side binds.

use capscope::exec::check;
use capscope::exec::gpu::shaders::{SOURCES, text};
use capscope::plan::{Kernel, Operation, Run};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, GlobalVariable, Module, StorageAccess, TypeInner};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;
use std::process::Command;
use std::sync::Arc;

const SEED: u64 = 20_260_101;
const INVOCATIONS: u32 = 256;
const STORAGE_BUFFERS: usize = 8;

fn specimens() -> Vec<(Arc<dyn Operation>, Kernel, String)> {
    let resolve = |operation: Arc<dyn Operation>| {
        operation.kernels().into_iter().map(move |kernel| {
            let text = text(&kernel).unwrap_or_else(|error| panic!("{operation:?}: {error}"));
            (operation.clone(), kernel, text)
        })
    };
    check::specimens(SEED).into_iter().flat_map(resolve).collect()
}

fn parse(operation: &dyn Operation, text: &str) -> Module {
    naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{operation:?}\n{}", error.emit_to_string(text)))
}

#[test]
fn naga_accepts_every_shader_in_every_shape() {
    let specimens = specimens();
    for (operation, _, text) in &specimens {
        let module = parse(&**operation, text);
        // No capabilities: nothing that WebGPU does not promise.
        Validator::new(ValidationFlags::all(), Capabilities::empty())
            .validate(&module)
            .unwrap_or_else(|error| panic!("{operation:?}\n{}", error.emit_to_string(text)));
    }
    let shaders: BTreeSet<&str> = specimens.iter().map(|(_, kernel, _)| kernel.shader).collect();
    println!("naga: {} shapes of {} shaders are valid", specimens.len(), shaders.len());
    for (stem, _) in SOURCES.iter().filter(|(stem, _)| !stem.starts_with("shared/")) {
        assert!(shaders.contains(stem), "no operation uses shaders/{stem}.wgsl, so nothing checks it");
    }
}

#[test]
fn tint_accepts_every_shader_in_every_shape() {
    let folder = std::env::temp_dir().join(format!("capscope-tint-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let texts: BTreeMap<String, &'static str> =
        specimens().into_iter().map(|(_, kernel, text)| (text, kernel.shader)).collect();
    for (text, stem) in &texts {
        let file = folder.join(format!("{stem}.wgsl"));
        std::fs::write(&file, text).expect("a temporary file");
        match Command::new("tint").args(["--format", "wgsl", "-o", "/dev/null"]).arg(&file).output() {
            Ok(said) => assert!(said.status.success(), "{stem}:\n{}", String::from_utf8_lossy(&said.stderr)),
            Err(error) => {
                println!("tint is not on this machine ({error}): skipped");
                return;
            }
        }
    }
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
    println!("tint: {} texts are valid", texts.len());
}

#[test]
fn bindings_are_the_ports_in_order() {
    for (operation, _, text) in specimens() {
        let module = parse(&*operation, &text);
        let bound: BTreeMap<u32, &GlobalVariable> = module
            .global_variables
            .iter()
            .filter_map(|(_, variable)| variable.binding.map(|place| (place, variable)))
            .inspect(|(place, _)| assert_eq!(place.group, 0))
            .map(|(place, variable)| (place.binding, variable))
            .collect();
        let ports = operation.ports();
        assert_eq!(bound.len(), ports.len() + 1, "{operation:?} binds the run and its ports");
        assert!(ports.len() <= STORAGE_BUFFERS, "{operation:?} has {} storage buffers", ports.len());
        assert_eq!(bound[&0].space, AddressSpace::Uniform);
        for (binding, port) in (1..).zip(&ports) {
            let variable = bound[&binding];
            let both = StorageAccess::LOAD | StorageAccess::STORE;
            let access = if port.is_written() { both } else { StorageAccess::LOAD };
            assert_eq!(variable.name.as_deref(), Some(port.name), "{operation:?}, binding {binding}");
            assert_eq!(variable.space, AddressSpace::Storage { access }, "{operation:?}, {}", port.name);
        }
    }
}

#[test]
fn the_uniform_block_is_laid_out_as_in_rust() {
    let expected = [
        ("live", offset_of!(Run, live)),
        ("accumulate", offset_of!(Run, accumulate)),
        ("iterations", offset_of!(Run, iterations)),
        ("chosen", offset_of!(Run, chosen)),
        ("row", offset_of!(Run, row)),
        ("total", offset_of!(Run, total)),
        ("rate", offset_of!(Run, rate)),
        ("first_correction", offset_of!(Run, first_correction)),
        ("second_correction", offset_of!(Run, second_correction)),
    ];
    for (operation, _, text) in specimens() {
        let module = parse(&*operation, &text);
        let run = module.global_variables.iter().find(|(_, variable)| variable.name.as_deref() == Some("run"));
        let (_, variable) = run.unwrap_or_else(|| panic!("{operation:?} does not bind the run"));
        let TypeInner::Struct { members, span } = &module.types[variable.ty].inner else { panic!("run is a struct") };
        assert_eq!(*span as usize, size_of::<Run>());
        for (member, (name, offset)) in members.iter().zip(expected) {
            assert_eq!((member.name.as_deref(), member.offset as usize), (Some(name), offset));
        }
        let is_padding = |name: &Option<String>| name.as_deref().is_some_and(|name| name.starts_with("padding"));
        assert!(
            members[expected.len()..].iter().all(|member| is_padding(&member.name)),
            "a field that Rust does not fill"
        );
    }
}

#[test]
fn workgroups_keep_to_the_default_limits() {
    let mut largest = (0, 0);
    for (operation, kernel, text) in specimens() {
        let module = parse(&*operation, &text);
        let [entry] = &module.entry_points[..] else { panic!("{operation:?} has one entry point") };
        assert_eq!((entry.name.as_str(), entry.workgroup_size), ("main", [kernel.lanes(), 1, 1]), "{operation:?}");
        let shared = module.global_variables.iter().filter(|(_, variable)| variable.space == AddressSpace::WorkGroup);
        let bytes: usize = shared
            .map(|(_, variable)| module.types[variable.ty].inner.size(module.to_ctx()).next_multiple_of(16) as usize)
            .sum();
        assert_eq!(bytes, kernel.workgroup_bytes, "{operation:?}");
        assert!(bytes <= Kernel::MOST_WORKGROUP_BYTES, "{operation:?} needs {bytes} bytes of workgroup memory");
        assert!(kernel.lanes() <= INVOCATIONS, "{operation:?} has {} invocations", kernel.lanes());
        largest = (largest.0.max(bytes), largest.1.max(kernel.lanes()));
    }
    println!("largest workgroup: {} bytes of memory, {} invocations", largest.0, largest.1);
}

#[test]
fn overrides_are_those_that_rust_sets() {
    for (operation, kernel, text) in specimens() {
        let module = parse(&*operation, &text);
        let in_shader: BTreeSet<&str> = module.overrides.iter().filter_map(|(_, one)| one.name.as_deref()).collect();
        let in_rust: BTreeSet<&str> = kernel.overrides.iter().map(|&(name, _)| name).collect();
        assert_eq!(in_shader, in_rust, "{operation:?}");
    }
}

/// Chrome's compiler makes a function's `var` without an initial value zero once, not in each turn of the loop that it
/// stands in; naga does it each time. So every such variable says what it starts with.
#[test]
fn every_variable_of_a_function_has_an_initial_value() {
    let mut seen = 0;
    for (stem, text) in SOURCES {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("var ")) {
            assert!(line.contains('='), "{stem}.wgsl, line {}: {} starts with nothing", number + 1, line.trim());
            seen += 1;
        }
    }
    println!("{seen} variables have an initial value");
    assert!(seen > 50);
}
