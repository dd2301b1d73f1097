//! The hand-written PTX files of `tests/ptx`: their headers, and the launches that these ask for. `tests/ptx.rs`
//! describes the format.

use std::fs;
use std::path::{Path, PathBuf};

use simt::{Buffer, Emulator, Launch, Reconvergence, TensorMap, TensorMapRequest};

/// A file: its path, its text, and the lines of its header.
pub struct Case {
    /// Its path below `tests/ptx`.
    pub name: String,
    /// Its text, including the header.
    pub text: String,
}

impl Case {
    /// The values of all header lines with this key.
    pub fn all<'c>(&'c self, key: &'c str) -> impl Iterator<Item = &'c str> {
        self.header().filter(move |(known, _)| *known == key).map(|(_, value)| value)
    }

    /// The lines of the header: key and value.
    pub fn header(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.text.lines().take_while(|line| line.starts_with("//"));
        lines.filter_map(|line| line.trim_start_matches("// ").split_once(": "))
    }

    /// The mechanisms of reconvergence with which it is run.
    pub fn mechanisms(&self) -> Vec<Reconvergence> {
        match self.all("reconvergence").next() {
            Some("its") => vec![Reconvergence::Its],
            Some("stack") => vec![Reconvergence::Stack],
            Some(other) => panic!("{}: no mechanism `{other}`", self.name),
            None => vec![Reconvergence::Stack, Reconvergence::Its],
        }
    }

    /// The launch that the header asks for, without arguments.
    pub fn launch(&self) -> Launch {
        let mut launch = Launch::new(1, 32);
        launch.max_steps = 1_000_000;
        let words: Vec<&str> = self.all("launch").flat_map(str::split_whitespace).collect();
        for pair in words.chunks(2) {
            let value: u32 = pair[1].parse().unwrap_or_else(|_| panic!("{}: `{pair:?}`", self.name));
            match pair[0] {
                "grid" => launch.grid = value.into(),
                "block" => launch.block = value.into(),
                "shared" => launch.shared_bytes = value,
                "cluster" => launch.cluster = Some(value.into()),
                "resident" => launch.resident_blocks = value,
                "steps" => launch.max_steps = u64::from(value),
                other => panic!("{}: no launch option `{other}`", self.name),
            }
        }
        launch
    }

    /// Allocates the buffers that the header names, and passes them and the numbers as arguments.
    pub fn arguments(&self, emulator: &mut Emulator, launch: &mut Launch) -> Vec<Buffer> {
        let mut buffers = Vec::new();
        for (key, value) in self.header() {
            let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
            let buffer = match key {
                "out" => emulator.alloc(key, 4 * u64::from(numbers(value)[0])).unwrap(),
                "uninitialized" => {
                    emulator.alloc_uninitialized(key, 4 * u64::from(numbers(value)[0])).unwrap()
                }
                "in" => {
                    let bytes = bytes(&numbers(value));
                    let buffer = emulator.alloc(key, bytes.len() as u64).unwrap();
                    emulator.write(buffer).unwrap().copy_from_slice(&bytes);
                    buffer
                }
                "map" => {
                    launch.args.push(simt::Arg::bytes(&tensor_map(value, &buffers)));
                    continue;
                }
                "arg" => {
                    launch.args.push(numbers(value)[0].into());
                    continue;
                }
                _ => continue,
            };
            launch.args.push(buffer.address().into());
            buffers.push(buffer);
        }
        buffers
    }
}

/// A tensor map: `1 f32 sizes 16,8 box 8,4 swizzle 128 steps 1,2 nan` of buffer 1, whose rows lie tightly.
fn tensor_map(text: &str, buffers: &[Buffer]) -> Vec<u8> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let buffer = buffers[words[0].parse::<usize>().unwrap()];
    let (element, bytes) = TensorMap::element_named(words[1]).unwrap();
    let after = |key: &str| words.iter().position(|word| *word == key).map(|at| words[at + 1]);
    let list = |text: &str| text.split(',').map(|number| number.parse().unwrap()).collect::<Vec<u32>>();
    let sizes: Vec<u64> = list(after("sizes").unwrap()).into_iter().map(u64::from).collect();
    let strides = sizes.iter().scan(bytes, |bytes, size| {
        *bytes *= size;
        Some(*bytes)
    });
    let swizzle = after("swizzle")
        .map_or(0, |width| ["0", "32", "64", "128"].iter().position(|w| *w == width).unwrap());
    let request = TensorMapRequest {
        element,
        rank: sizes.len() as u32,
        address: buffer.address(),
        sizes: &sizes,
        strides: &strides.collect::<Vec<_>>(),
        lengths: &list(after("box").unwrap()),
        steps: &after("steps").map_or(vec![1; sizes.len()], list),
        swizzle: swizzle as u32,
        fill: u32::from(words.contains(&"nan")),
        ..TensorMapRequest::default()
    };
    TensorMap::encode(&request).unwrap().to_vec()
}

/// Words, ranges (`0..32`) and repetitions (`7*32`), separated by blanks.
pub fn numbers(text: &str) -> Vec<u32> {
    let number = |text: &str| text.parse::<i64>().unwrap_or_else(|_| panic!("no number: `{text}`")) as u32;
    text.split_whitespace()
        .flat_map(|word| match (word.split_once(".."), word.split_once('*')) {
            (Some((first, end)), _) => (number(first)..number(end)).collect(),
            (_, Some((value, count))) => vec![number(value); number(count) as usize],
            _ => vec![number(word)],
        })
        .collect()
}

/// The files of `pass` or `fail`, in the order of their names.
pub fn cases(folder: &str) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptx").join(folder);
    let mut paths: Vec<PathBuf> = list(&root).iter().flat_map(|family| list(family)).collect();
    paths.sort();
    let name = |path: &Path| path.strip_prefix(root.parent().unwrap()).unwrap().display().to_string();
    paths
        .iter()
        .map(|path| Case { name: name(path), text: fs::read_to_string(path).expect("a file of text") })
        .collect()
}

fn list(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path()).collect()
}
