//! Functions of the driver that do something in the process itself: they read a file, look up an address, or call a function of the
//! program.
//!
//! Specification: CUDA Driver API.
#![allow(unsafe_code, non_snake_case, reason = "names that other programs look up")]

use crate::calls::call;
use crate::{functions, memory, symbols};

const INVALID_VALUE: u32 = 1;
const FILE_NOT_FOUND: u32 = 301;
const NOT_FOUND: u32 = 500;

/// Functions whose later versions are meant only from a version of CUDA on. Of others, the newest is meant.
const SINCE: &[(&str, u64, &str)] = &[
    ("cuCtxCreate", 12050, "cuCtxCreate_v4"),
    ("cuCtxCreate", 11040, "cuCtxCreate_v3"),
    ("cuCtxCreate", 0, "cuCtxCreate_v2"),
    ("cuCtxGetDevice", 13000, "cuCtxGetDevice_v2"),
    ("cuCtxGetDevice", 0, "cuCtxGetDevice"),
    ("cuCtxSynchronize", 13000, "cuCtxSynchronize_v2"),
    ("cuCtxSynchronize", 0, "cuCtxSynchronize"),
    ("cuDeviceGetUuid", 11040, "cuDeviceGetUuid_v2"),
    ("cuDeviceGetUuid", 0, "cuDeviceGetUuid"),
    ("cuEventElapsedTime", 12080, "cuEventElapsedTime_v2"),
    ("cuEventElapsedTime", 0, "cuEventElapsedTime"),
    ("cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"),
    ("cuGraphInstantiate", 11000, "cuGraphInstantiate_v2"),
    ("cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync_v2"),
    ("cuMemPrefetchAsync", 0, "cuMemPrefetchAsync"),
    ("cuMemAdvise", 12020, "cuMemAdvise_v2"),
    ("cuMemAdvise", 0, "cuMemAdvise"),
    ("cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3"),
    ("cuStreamGetCaptureInfo", 11030, "cuStreamGetCaptureInfo_v2"),
    ("cuStreamGetCaptureInfo", 0, "cuStreamGetCaptureInfo"),
    ("cuStreamGetCtx", 12050, "cuStreamGetCtx_v2"),
    ("cuStreamGetCtx", 0, "cuStreamGetCtx"),
];

/// The longest name of a function.
const MOST_BYTES: usize = 256;

/// The address of a function by the name that its documentation has.
fn find(name: &str, version: u64) -> Option<usize> {
    if let Some((.., name)) = SINCE.iter().find(|(known, since, _)| *known == name && version >= *since) {
        return symbols::find(name);
    }
    let own: [(&str, usize); 11] = [
        (
            "cuGetProcAddress",
            if version >= 12000 {
                cuGetProcAddress_v2 as *const () as usize
            } else {
                cuGetProcAddress as *const () as usize
            },
        ),
        ("cuGetProcAddress_v2", cuGetProcAddress_v2 as *const () as usize),
        ("cuModuleLoad", cuModuleLoad as *const () as usize),
        ("cuLinkAddFile", cuLinkAddFile_v2 as *const () as usize),
        ("cuLibraryLoadFromFile", cuLibraryLoadFromFile as *const () as usize),
        ("cuLaunchHostFunc", cuLaunchHostFunc as *const () as usize),
        ("cuStreamAddCallback", cuStreamAddCallback as *const () as usize),
        ("cuGraphDestroy", cuGraphDestroy as *const () as usize),
        ("cuGraphExecDestroy", cuGraphExecDestroy as *const () as usize),
        ("cuGraphReleaseUserObject", cuGraphReleaseUserObject as *const () as usize),
        ("cuUserObjectRelease", cuUserObjectRelease as *const () as usize),
    ];
    let own = own.iter().find(|(known, _)| *known == name).map(|(_, address)| *address);
    own.or_else(|| symbols::find(&format!("{name}_v2"))).or_else(|| symbols::find(name))
}

fn give_address(name: u64, to: u64, version: u64, found_to: u64) -> u32 {
    let Some(name) = memory::text(name, MOST_BYTES) else { return INVALID_VALUE };
    let found = find(&name, version);
    if !memory::write(to, &(found.unwrap_or(0) as u64).to_ne_bytes()) {
        return INVALID_VALUE;
    }
    // 0: found; 1: no such function; 2: of a newer version.
    if found_to != 0 && !memory::write(found_to, &u32::from(found.is_none()).to_ne_bytes()) {
        return INVALID_VALUE;
    }
    if found.is_some() || found_to != 0 { 0 } else { NOT_FOUND }
}

/// A file, and a zero after it; the error if it cannot be read.
fn file(path: u64) -> Result<Vec<u8>, u32> {
    let path = memory::text(path, 1 << 16).ok_or(INVALID_VALUE)?;
    let mut bytes = std::fs::read(path).map_err(|_| FILE_NOT_FOUND)?;
    bytes.push(0);
    Ok(bytes)
}

/// What is done with a file.
fn with_file(path: u64, then: impl FnOnce(&[u8]) -> u32) -> u32 {
    match file(path) {
        Ok(bytes) => then(&bytes),
        Err(code) => code,
    }
}

// SAFETY of all names here: each is NVIDIA's, which a program that loads this library asks for.

#[unsafe(no_mangle)]
extern "C" fn cuGetProcAddress(name: u64, to: u64, version: i32, _flags: u64) -> u32 {
    give_address(name, to, version as u64, 0)
}

#[unsafe(no_mangle)]
extern "C" fn cuGetProcAddress_v2(name: u64, to: u64, version: i32, _flags: u64, found_to: u64) -> u32 {
    give_address(name, to, version as u64, found_to)
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleLoad(module: u64, path: u64) -> u32 {
    with_file(path, |bytes| call("cuModuleLoadData", &[module, bytes.as_ptr() as u64]))
}

#[unsafe(no_mangle)]
extern "C" fn cuLibraryLoadFromFile(library: u64, path: u64, options: u64, values: u64, count: u32) -> u32 {
    with_file(path, |bytes| {
        call("cuLibraryLoadData", &[library, bytes.as_ptr() as u64, options, values, u64::from(count)])
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuLinkAddFile_v2(
    state: u64,
    kind: u32,
    path: u64,
    count: u32,
    options: u64,
    values: u64,
) -> u32 {
    with_file(path, |bytes| {
        let data = bytes.as_ptr() as u64;
        let (size, count) = (bytes.len() as u64 - 1, u64::from(count));
        call("cuLinkAddData_v2", &[state, u64::from(kind), data, size, path, count, options, values])
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuLaunchHostFunc(stream: u64, function: u64, data: u64) -> u32 {
    if function == 0 {
        return INVALID_VALUE;
    }
    functions::give(stream, move || memory::call_back(function, data))
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamAddCallback(stream: u64, function: u64, data: u64, _flags: u32) -> u32 {
    if function == 0 {
        return INVALID_VALUE;
    }
    functions::give(stream, move || memory::call_back_of_stream(function, stream, data))
}

/// A call that may give up the last reference to an object of the program, and then the functions that destroy such objects.
fn call_and_destroy(name: &str, values: &[u64]) -> u32 {
    let code = call(name, values);
    let mut due = [0_u64; 2];
    let to = due.as_mut_ptr() as u64;
    while call("__lanes_destroyed_object", &[to]) == 0 && due[0] != 0 {
        memory::call_back(due[0], due[1]);
    }
    code
}

#[unsafe(no_mangle)]
extern "C" fn cuUserObjectRelease(object: u64, count: u32) -> u32 {
    call_and_destroy("cuUserObjectRelease", &[object, u64::from(count)])
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphReleaseUserObject(graph: u64, object: u64, count: u32) -> u32 {
    call_and_destroy("cuGraphReleaseUserObject", &[graph, object, u64::from(count)])
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphDestroy(graph: u64) -> u32 {
    call_and_destroy("cuGraphDestroy", &[graph])
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphExecDestroy(graph: u64) -> u32 {
    call_and_destroy("cuGraphExecDestroy", &[graph])
}

/// gpuocelot's function, which tinygrad's mocks call: a text of PTX runs on memory of the process.
#[unsafe(no_mangle)]
extern "C" fn ptx_run(
    source: u64,
    count: i32,
    arguments: u64,
    block_x: i32,
    block_y: i32,
    block_z: i32,
    grid_x: i32,
    grid_y: i32,
    grid_z: i32,
    shared_bytes: i32,
) {
    let numbers = [count, block_x, block_y, block_z, grid_x, grid_y, grid_z, shared_bytes];
    let [count, rest @ ..] = numbers.map(|number| u64::from(number as u32));
    let mut values = vec![source, count, arguments];
    values.extend(rest);
    call("ptx_run", &values);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_in_the_version_that_is_asked_for() {
        let address = |name: &str| symbols::find(name);
        assert_eq!(find("cuMemAlloc", 12000), address("cuMemAlloc_v2"));
        assert_eq!(find("cuInit", 12000), address("cuInit"));
        assert_eq!(find("cuCtxCreate", 2000), address("cuCtxCreate_v2"));
        assert_eq!(find("cuCtxGetDevice", 12090), address("cuCtxGetDevice"));
        assert_eq!(find("cuCtxCreate", 13000), address("cuCtxCreate_v4"));
        assert!(find("cuLaunchHostFunc", 12000).is_some() && find("cuNothing", 12000).is_none());
    }
}
