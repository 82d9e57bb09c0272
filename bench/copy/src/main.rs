//! Fractions of `memcpy`'s speed, into a given and touched target, one thread unless said otherwise.
//!
//! All sides take turns within a round; what counts is the median of the ratios of the rounds.
//!
//! `copy [--only TEXT] [--rounds N] [--huge] [--streams 0|1]` for the layouts, `copy --sizes` for one layout by size,
//! `copy --packed` for elements below a byte, `copy --threads N` for both sides on as many threads.

mod layouts;
mod memory;
mod packed;
mod sides;

use std::time::Instant;

use layouts::Case;
use memory::Block;

struct Asked {
    only: String,
    rounds: usize,
    huge: bool,
    sizes: bool,
    packed: bool,
    threads: usize,
    streams: Option<bool>,
}

fn asked() -> Asked {
    let mut asked =
        Asked { only: String::new(), rounds: 31, huge: false, sizes: false, packed: false, threads: 1, streams: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a number follows");
        match &*word {
            "--rounds" => asked.rounds = number(),
            "--streams" => asked.streams = Some(number() != 0),
            "--sizes" => asked.sizes = true,
            "--packed" => asked.packed = true,
            "--threads" => asked.threads = number(),
            "--huge" => asked.huge = true,
            "--only" => asked.only = words.next().unwrap_or_default(),
            other => panic!("{other} is not known"),
        }
    }
    asked
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// What was found: our part of the speed of memcpy, the peer's, and that speed in GB/s.
struct Found {
    ours: f64,
    theirs: Option<f64>,
    memcpy: f64,
}

fn time(case: &Case, asked: &Asked) -> Found {
    let item = case.kind.bytes();
    let count = usize::try_from(case.shape.iter().product::<i64>()).expect("small");
    let mut source = Block::new(case.len * item, asked.huge);
    source.bytes().chunks_mut(4096).enumerate().for_each(|(at, page)| page.fill(at as u8));
    let mut target = Block::new(count * item, asked.huge);
    let mut flat = Block::new(count * item, asked.huge);
    target.bytes().fill(1);
    flat.bytes().fill(2);
    let mut plan = sides::plan(case, source.first(), target.first());
    if let Some(streams) = asked.streams {
        plan = plan.streaming(streams);
    }
    let from = source.first().wrapping_add(case.first * item);
    // Small copies are repeated, until a turn takes long enough to be timed.
    let turns = (1 << 20) / (count * item).max(1) + 1;
    let (mut ours, mut theirs, mut speed) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=asked.rounds {
        let memcpy = seconds(|| {
            (0..turns).for_each(|_| sides::memcpy(target.first(), flat.first(), count * item, asked.threads));
        });
        let us = seconds(|| (0..turns).for_each(|_| sides::ours(&plan, target.first(), from, asked.threads)));
        if round == 0 {
            continue;
        }
        speed.push((turns * count * item) as f64 / memcpy * 1e-9);
        ours.push(memcpy / us);
        if asked.threads == 1 && !asked.sizes {
            if let Some(them) = sides::strided_perm(case, source.first(), target.first()) {
                theirs.push(memcpy / turns as f64 / seconds(them));
            }
        }
    }
    let theirs = (!theirs.is_empty()).then(|| median(theirs));
    Found { ours: median(ours), theirs, memcpy: median(speed) }
}

/// Transposed matrices and reversed rows of about as many bytes as each power of two.
fn by_size(asked: &mut Asked) {
    println!("{:>12} {:>10} {:>10} {:>12}", "bytes", "transpose", "reversed", "memcpy GB/s");
    for power in (10..=32).step_by(2) {
        let side = ((1_u64 << power) as f64 / 4.0).sqrt().round() as i64;
        asked.rounds = if power > 28 { 5 } else { 31 };
        let transposed = time(&layouts::permuted("", layouts::Kind::F32, &[side, side], &[1, 0]), asked);
        let reversed = time(&layouts::strided("", layouts::Kind::F32, &[side, side], &[side, -1]), asked);
        let bytes = side * side * 4;
        println!("{bytes:12} {:10.2} {:10.2} {:12.1}", transposed.ours, reversed.ours, transposed.memcpy);
    }
}

fn main() {
    let mut asked = asked();
    if asked.sizes {
        return by_size(&mut asked);
    }
    if asked.packed {
        return packed::print(&asked);
    }
    println!("{:38} {:>8} {:>13} {:>12}", "", "dlferry", "strided-perm", "memcpy GB/s");
    let mut logs = Vec::new();
    for case in layouts::all() {
        if case.name.contains(&asked.only) {
            let found = time(&case, &asked);
            logs.push(found.ours.ln());
            let theirs = found.theirs.map_or("-".into(), |theirs| format!("{theirs:.2}"));
            println!("{:38} {:8.2} {theirs:>13} {:12.1}", case.name, found.ours, found.memcpy);
        }
    }
    println!("geometric mean {:.2}", (logs.iter().sum::<f64>() / logs.len() as f64).exp());
}
