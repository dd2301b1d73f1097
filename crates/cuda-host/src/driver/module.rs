//! Modules: what is loaded, the variables in it, and the linker.

use cudac::host::Scalar;

use super::errors::code;
use super::held::Handle;
use super::held::{Link, Log};
use super::module_text::{self, Image, Refused};
use super::state::{Driver, Values};
use crate::machine::Result;

/// The numbers of options of the compiler for PTX: a buffer for errors, and its size.
const ERROR_LOG: u64 = 5;
const ERROR_LOG_BYTES: u64 = 6;
const INFO_LOG_BYTES: u64 = 4;

/// The kinds of texts that can be linked.
const PTX: u64 = 1;
const FAT_BINARY: u64 = 2;
const LIBRARY: u64 = 4;

impl Driver<'_> {
    /// Functions of modules, of libraries, which are modules, and of the linker.
    pub(super) fn of_module(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        let (a, b) = (values.at(0), values.at(1));
        Some(match name {
            "cuModuleLoadData" | "cuModuleLoadFatBinary" => self.load_module(a, b, Log::default()),
            "cuModuleLoadDataEx" => self
                .log_of(values.at(2), values.at(3), values.at(4))
                .and_then(|log| self.load_module(a, b, log)),
            // The options of the compiler are the third to the fifth argument here.
            "cuLibraryLoadData" => self
                .log_of(values.at(4), values.at(2), values.at(3))
                .and_then(|log| self.load_module(a, b, log)),
            "cuModuleUnload" | "cuLibraryUnload" => self.unload(a),
            "cuModuleGetFunction" | "cuLibraryGetKernel" => self.function_of(a, b, values.at(2)),
            "cuModuleGetFunctionCount" | "cuLibraryGetKernelCount" => self.count_functions(a, b),
            "cuModuleGetGlobal_v2" | "cuLibraryGetGlobal" => {
                self.variable_of(a, b, values.at(2), values.at(3))
            }
            "cuLibraryGetModule" => match self.modules.number(b) {
                Some(_) => self.give(a, Scalar::U64, b),
                None => self.no_module(b),
            },
            "cuModuleGetLoadingMode" => self.give(a, Scalar::I32, 1),
            "cuLinkCreate_v2" | "cuLinkCreate" => self.create_link(values),
            "cuLinkAddData_v2" | "cuLinkAddData" => self.add_to_link(values),
            "cuLinkComplete" => self.complete_link(a, b, values.at(2)),
            "cuLinkDestroy" => match self.modules.links.remove(&a) {
                Some(_) => Ok(0),
                None => self.no_link(a),
            },
            _ => return None,
        })
    }

    fn no_module(&mut self, module: u64) -> Result<u64> {
        self.fail(code::INVALID_HANDLE, format!("{module:#x} is no module, or one that was unloaded"))
    }

    fn no_link(&mut self, link: u64) -> Result<u64> {
        self.fail(
            code::INVALID_HANDLE,
            format!("{link:#x} is no state of the linker, or one that was destroyed"),
        )
    }

    /// Where the options of a compilation say that errors go: how many options, their numbers, their values.
    fn log_of(&mut self, count: u64, options: u64, values: u64) -> Result<Log> {
        let mut log = Log::default();
        let count = count & 0xffff_ffff;
        if count == 0 || count > 64 {
            return Ok(log);
        }
        let numbers = self.take(options, 4 * count)?;
        let known = self.take_words(values, count)?;
        for (nth, (number, value)) in numbers.chunks_exact(4).zip(known).enumerate() {
            match u64::from(number[0]) {
                ERROR_LOG => log.to = value,
                ERROR_LOG_BYTES => {
                    (log.room, log.size_at) = (value & 0xffff_ffff, values.wrapping_add(8 * nth as u64));
                }
                INFO_LOG_BYTES => self.machine.store(Scalar::U64, values.wrapping_add(8 * nth as u64), 0)?,
                _ => {}
            }
        }
        if log.size_at != 0 {
            self.machine.store(Scalar::U64, log.size_at, 0)?;
        }
        Ok(log)
    }

    /// A text is refused, and the log says why. What a GPU may well execute is not emulated.
    fn refuse_text(&mut self, log: Log, code: u64, message: String) -> Result<u64> {
        if log.to != 0 && log.room > 0 {
            self.give_text(log.to, log.room, &message)?;
            if log.size_at != 0 {
                let bytes = (message.len() as u64 + 1).min(log.room);
                self.machine.store(Scalar::U64, log.size_at, bytes)?;
            }
        }
        if matches!(code, code::NO_BINARY_FOR_GPU | code::INVALID_PTX) {
            self.tell_refused(message);
            return Ok(code);
        }
        self.fail(code, message)
    }

    /// The texts of PTX at an address; none, and what the call returns then.
    fn texts_at(&mut self, address: u64) -> Result<std::result::Result<Vec<String>, Refused>> {
        if address == 0 {
            return Ok(Err(Refused {
                code: code::INVALID_VALUE,
                message: "there is no module at a null pointer".into(),
            }));
        }
        let head = self.take(address, 8)?;
        let image = match module_text::kind(&head) {
            Image::Wrapper => {
                let data = self.take_words(address, 2)?[1];
                let head = self.take(data, 16)?;
                let bytes = self.take(data, module_text::fat_binary_bytes(&head))?;
                module_text::of_fat_binary(&bytes)
            }
            Image::FatBinary => {
                let head = self.take(address, 16)?;
                let bytes = self.take(address, module_text::fat_binary_bytes(&head))?;
                module_text::of_fat_binary(&bytes)
            }
            Image::MachineCode => Err(module_text::machine_code()),
            Image::Text => module_text::of_text(&self.take_text(address)?),
        };
        Ok(image)
    }

    fn load_module(&mut self, to: u64, image: u64, log: Log) -> Result<u64> {
        let texts = match self.texts_at(image)? {
            Ok(texts) => texts,
            Err(Refused { code, message }) => return self.refuse_text(log, code, message),
        };
        self.machine.check_handles(
            self.modules.loaded.len(),
            "modules",
            "call `cuModuleUnload` when one is not needed any more",
        )?;
        let name = format!("module {}", self.modules.made + 1);
        let text = module_text::with_runtime(module_text::linked(&texts));
        let number = match self.machine.device.load(&name, &text, &[]) {
            Ok(number) => number,
            Err(error) => return self.refuse_text(log, code::INVALID_PTX, format!("PTX of {name}: {error}")),
        };
        let module = Handle::Module.make(self.modules.made);
        self.give(to, Scalar::U64, module)?;
        self.modules.made += 1;
        self.modules.loaded.insert(module, number);
        Ok(0)
    }

    fn unload(&mut self, module: u64) -> Result<u64> {
        self.machine.await_functions(None)?;
        let Some(number) = self.modules.loaded.remove(&module) else { return self.no_module(module) };
        self.machine.finish(None)?;
        self.functions.forget(number);
        self.machine.device.unload(number);
        Ok(0)
    }

    fn function_of(&mut self, to: u64, module: u64, name: u64) -> Result<u64> {
        let Some(number) = self.modules.number(module) else { return self.no_module(module) };
        let name = self.take_name(name)?;
        if let Some(function) = self.function_named(number, &name) {
            return self.give(to, Scalar::U64, function);
        }
        let known = self.machine.device.kernels_of(number);
        let message = format!("the module has no kernel `{name}`; it has {}", names(&known));
        self.fail(code::NOT_FOUND, message)
    }

    fn count_functions(&mut self, to: u64, module: u64) -> Result<u64> {
        let Some(number) = self.modules.number(module) else { return self.no_module(module) };
        let count = self.machine.device.kernels_of(number).len() as u64;
        self.give(to, Scalar::U32, count)
    }

    fn variable_of(&mut self, to: u64, size_to: u64, module: u64, name: u64) -> Result<u64> {
        let Some(number) = self.modules.number(module) else { return self.no_module(module) };
        let name = self.take_name(name)?;
        let Some(buffer) = self.machine.device.variable_of(number, &name) else {
            return self.fail(code::NOT_FOUND, format!("the module has no variable `{name}`"));
        };
        self.offer(to, Scalar::U64, buffer.address())?;
        self.offer(size_to, Scalar::U64, buffer.bytes())
    }

    /// `cuLinkCreate`: how many options, their numbers, their values, where the state goes.
    fn create_link(&mut self, values: Values<'_>) -> Result<u64> {
        let log = self.log_of(values.at(0), values.at(1), values.at(2))?;
        self.machine.check_handles(
            self.modules.links.len(),
            "states of the linker",
            "call `cuLinkDestroy` when one is not needed any more",
        )?;
        let link = Handle::Link.make(self.modules.links_made);
        self.give(values.at(3), Scalar::U64, link)?;
        self.modules.links_made += 1;
        self.modules.links.insert(link, Link { log, ..Link::default() });
        Ok(0)
    }

    /// `cuLinkAddData`: the state, the kind, where the text is, its bytes, a name.
    fn add_to_link(&mut self, values: Values<'_>) -> Result<u64> {
        let (link, kind, from) = (values.at(0), values.at(1), values.at(2));
        let Some(log) = self.modules.links.get(&link).map(|link| link.log) else { return self.no_link(link) };
        let made = match kind & 0xffff_ffff {
            PTX => {
                let text = self.take(from, values.at(3))?;
                module_text::of_text(text.split(|byte| *byte == 0).next().unwrap_or_default())
            }
            FAT_BINARY => module_text::of_fat_binary(&self.take(from, values.at(3))?),
            // The library with the runtime for kernels, which all callers add: a module gets what it calls of it when it is loaded.
            LIBRARY => Ok(Vec::new()),
            _ => Err(module_text::machine_code()),
        };
        match made {
            Ok(texts) => {
                self.modules.links.entry(link).or_default().texts.extend(texts);
                Ok(0)
            }
            Err(Refused { code, message }) => self.refuse_text(log, code, message),
        }
    }

    /// `cuLinkComplete`: the result is a text of PTX, which lives as long as the process.
    fn complete_link(&mut self, link: u64, to: u64, size_to: u64) -> Result<u64> {
        let Some(known) = self.modules.links.get(&link) else { return self.no_link(link) };
        let text = module_text::linked(&known.texts);
        let bytes = [text.as_bytes(), &[0]].concat();
        let at = self.machine.kept_bytes(&bytes)?;
        self.give(to, Scalar::U64, at)?;
        self.offer(size_to, Scalar::U64, bytes.len() as u64)
    }
}

/// Names in a message.
fn names(known: &[String]) -> String {
    let shown: Vec<String> = known.iter().take(8).map(|name| format!("`{name}`")).collect();
    match (known.len(), shown.len()) {
        (0, _) => "none".to_owned(),
        (all, some) if all > some => format!("{} and {} more", shown.join(", "), all - some),
        _ => shown.join(", "),
    }
}
