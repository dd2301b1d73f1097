//! The kernel that is meant by a name, in PTX or in C++.

use anyhow::{Context, Result, bail};
use simt::KernelInfo;

use super::signature;

/// The kernel that was asked for, or the only one in the file.
pub fn choose<'m>(file: &str, kernels: &'m [KernelInfo], wanted: Option<&str>) -> Result<&'m KernelInfo> {
    let short = |kernel: &KernelInfo| signature::short(&kernel.name);
    // Kernels that differ in their parameters only have to be told apart by their names in PTX.
    let is_alone = |name: &str| kernels.iter().filter(|kernel| short(kernel) == name).count() == 1;
    let name = |kernel: &KernelInfo| {
        Some(short(kernel)).filter(|name| is_alone(name)).unwrap_or(kernel.name.clone())
    };
    let names: Vec<String> = kernels.iter().map(|kernel| format!("`{}`", name(kernel))).collect();
    match (kernels, wanted) {
        ([], _) => bail!(
            "`{file}` has no kernel: is it cut short, or are its functions not `__global__`? A template becomes a kernel if \
             it is named with its arguments, as in `scale<float, 4>`"
        ),
        ([only], None) => Ok(only),
        (several, None) => {
            bail!("`{file}` has {} kernels; choose one with `--kernel`: {}", several.len(), names.join(", "))
        }
        (_, Some(wanted)) => named(kernels, wanted)
            .with_context(|| format!("`{file}` has no kernel `{wanted}`: it has {}", names.join(", "))),
    }
}

/// The kernel with this name in PTX or in C++, or the only one that has it without its namespaces and arguments.
fn named<'m>(kernels: &'m [KernelInfo], wanted: &str) -> Option<&'m KernelInfo> {
    let only = |is_it: &dyn Fn(&str) -> bool| {
        let mut found = kernels.iter().filter(|kernel| is_it(&kernel.name));
        found.next().filter(|_| found.next().is_none())
    };
    let exact = kernels.iter().find(|kernel| kernel.name == wanted);
    let same = || only(&|name| signature::is_called(name, wanted));
    exact.or_else(same).or_else(|| only(&|name| signature::plain(name) == wanted))
}
