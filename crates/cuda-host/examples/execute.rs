//! Runs whole CUDA programs without the program `lanes`, and prints one line of findings for each.

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or(&path);
        let source = cudac::Source { name, text: &text };
        let line = match cudac::compile_program(&source, &cudac::Options::default()) {
            Err(errors) => {
                format!("cannot be compiled: {}", errors.to_string().lines().next().unwrap_or_default())
            }
            Ok((made, program)) => {
                match cuda_host::run(
                    &program,
                    name,
                    &made.ptx,
                    &cuda_host::Given::default(),
                    &cuda_host::Limits::default(),
                ) {
                    Err(error) => format!("cannot be run: {error}"),
                    Ok(outcome) => {
                        let findings = outcome.findings.iter();
                        let findings: Vec<_> = findings
                            .map(|found| format!("{}@{}", found.kind.name(), found.line.number()))
                            .collect();
                        let output = String::from_utf8_lossy(&outcome.output).replace('\n', " | ");
                        format!("status {}; {}; {output}", outcome.status, findings.join(" "))
                    }
                }
            }
        };
        println!("{name}: {line}");
    }
}
