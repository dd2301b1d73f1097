use simt::*;
fn main() {
    let text = std::fs::read_to_string("kernels/ptx/saxpy.sm_70.ptx").unwrap();
    let mut e = Emulator::new(Limits::default());
    let m = e.load("saxpy", &text).unwrap();
    println!("{:?}", m.kernels());
    let n: u32 = 1 << 22;
    let x = e.alloc("x", 4 * n as u64).unwrap();
    let y = e.alloc("y", 4 * n as u64).unwrap();
    for (i, b) in e.write(x).chunks_exact_mut(4).enumerate() { b.copy_from_slice(&(i as f32).to_le_bytes()); }
    let launch = Launch::new(n.div_ceil(256), 256).arg(2.0f32).arg(x.address()).arg(y.address()).arg(n as i32);
    for _ in 0..3 {
        let t = std::time::Instant::now();
        let r = e.launch(&m, "saxpy", &launch).unwrap();
        let s = t.elapsed().as_secs_f64();
        println!("{:.1} M warp inst/s {} s", r.counters.ptx_instructions as f64 / s / 1e6, s);
        if !r.faults.is_empty() { println!("{}", r.faults[0]); }
        for c in r.counters.all() { if c.3 != 0 { println!("  {} {}", c.0, c.3); } }
        for l in &r.lines { println!("{} {} {}", l.source, l.counters.ptx_instructions, l.counters.global_load_sectors); }
    }
    println!("{:?}", &e.read(y)[4*12345..4*12346]);
}
