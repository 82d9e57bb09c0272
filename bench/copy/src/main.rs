//! Fractions of `memcpy`'s speed, into a given and touched target, one thread unless said otherwise.
//!
//! All sides take turns within a round; what counts is the median of the ratios of the rounds.
//!
//! `copy [--only TEXT] [--rounds N] [--huge] [--sizes]`

mod layouts;
mod memory;
mod sides;

use std::time::Instant;

use layouts::Case;
use memory::Block;

struct Asked {
    only: String,
    rounds: usize,
    huge: bool,
    streams: Option<bool>,
}

fn asked() -> Asked {
    let mut asked = Asked { only: String::new(), rounds: 31, huge: false, streams: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a number follows");
        match &*word {
            "--rounds" => asked.rounds = number(),
            "--streams" => asked.streams = Some(number() != 0),
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

fn time(case: &Case, asked: &Asked) -> (f64, Option<f64>, f64) {
    let item = case.kind.bytes();
    let count = usize::try_from(case.shape.iter().product::<i64>()).expect("small");
    let mut source = Block::new(case.len * item, asked.huge);
    for (at, byte) in source.bytes().iter_mut().enumerate() {
        *byte = (at.wrapping_mul(0x9e37_79b9) >> 13) as u8;
    }
    let mut target = Block::new(count * item, asked.huge);
    let mut flat = Block::new(count * item, asked.huge);
    target.bytes().fill(1);
    flat.bytes().fill(2);
    let mut plan = sides::plan(case, source.first(), target.first());
    if let Some(streams) = asked.streams {
        plan = plan.streaming(streams);
    }
    let from = source.first().wrapping_add(case.first * item);
    let (mut ours, mut theirs, mut speed) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=asked.rounds {
        let memcpy = seconds(|| sides::memcpy(target.first(), flat.first(), count * item));
        let us = seconds(|| unsafe { plan.run(target.first(), from) });
        if round == 0 {
            continue;
        }
        speed.push((count * item) as f64 / memcpy * 1e-9);
        ours.push(memcpy / us);
        if let Some(them) = sides::strided_perm(case, source.first(), target.first()) {
            theirs.push(memcpy / seconds(them));
        }
    }
    let theirs = (!theirs.is_empty()).then(|| median(theirs));
    (median(ours), theirs, median(speed))
}

fn main() {
    let asked = asked();
    println!("{:38} {:>8} {:>13} {:>12}", "", "dlferry", "strided-perm", "memcpy GB/s");
    let mut logs = Vec::new();
    for case in layouts::all() {
        if case.name.contains(&asked.only) {
            let (ours, theirs, speed) = time(&case, &asked);
            logs.push(ours.ln());
            let theirs = theirs.map_or("-".into(), |theirs| format!("{theirs:.2}"));
            println!("{:38} {ours:8.2} {theirs:>13} {speed:12.1}", case.name);
        }
    }
    println!("geometric mean {:.2}", (logs.iter().sum::<f64>() / logs.len() as f64).exp());
}
