//! Packed elements below a byte, as fractions of the speed of `memcpy` for as many bytes.

use std::num::NonZeroUsize;

use dlferry::abi::{DLDataType, DLDevice};
use dlferry::copy::Job;
use dlferry::layout::Layout;
use dlferry::managed::{Descriptor, Fields};
use dlferry::view::TensorView;

use crate::memory::Block;
use crate::{Asked, median, seconds, sides};

/// A copy from one layout to another, strides in elements from the first one, which is the lowest.
struct Case {
    name: &'static str,
    dtype: DLDataType,
    shape: [i64; 2],
    to: [i64; 2],
    from: [i64; 2],
}

/// The side of a square of 64 MiB of elements of 4 bits, or 16 of 1 bit.
const SIDE: i64 = 11_584;

fn all() -> Vec<Case> {
    let (u1, u4, f6) = (DLDataType::U1, DLDataType::U4, DLDataType::F6_E3M2FN);
    let case = |name, dtype, to, from| Case { name, dtype, shape: [SIDE, SIDE], to, from };
    let rows = [SIDE, 1];
    vec![
        case("u4 as it is", u4, rows, rows),
        case("u4 of rows with gaps of bytes", u4, rows, [SIDE + 64, 1]),
        case("u4 of rows with odd gaps", u4, rows, [SIDE + 65, 1]),
        case("u4 into rows with odd gaps", u4, [SIDE + 65, 1], rows),
        case("u4 transposed", u4, rows, [1, SIDE]),
        case("u4 transposed, odd rows", u4, rows, [1, SIDE + 1]),
        case("u4 of every second column", u4, rows, [2 * SIDE, 2]),
        case("u4 into every second column", u4, [2 * SIDE, 2], rows),
        case("u1 of rows with odd gaps", u1, rows, [SIDE + 65, 1]),
        case("u1 transposed", u1, rows, [1, SIDE]),
        case("f6 of rows with odd gaps", f6, rows, [SIDE + 65, 1]),
        case("f6 transposed", f6, rows, [1, SIDE]),
    ]
}

fn describe(block: &Block, case: &Case, strides: [i64; 2]) -> Descriptor {
    let layout = Layout::new(&case.shape, &strides).expect("fits");
    Descriptor::new(block.first().cast(), DLDevice::CPU, case.dtype, layout, Fields::SHARED).expect("fits")
}

/// Memory as long as the elements reach, touched.
fn memory(case: &Case, strides: [i64; 2], asked: &Asked) -> Block {
    let last: i64 = case.shape.iter().zip(strides).map(|(n, stride)| (n - 1) * stride).sum();
    let bits = (last + 1) * i64::from(case.dtype.item_bits());
    let mut block = Block::new(usize::try_from(bits).expect("small").div_ceil(8), asked.huge);
    block.bytes().chunks_mut(61).enumerate().for_each(|(at, some)| some.fill(at as u8));
    block
}

#[repr(C)]
struct Time {
    seconds: i64,
    nanoseconds: i64,
}

unsafe extern "C" {
    fn clock_gettime(clock: i32, time: *mut Time) -> i32;
}

/// Seconds that some work takes: of this thread, where the system can tell, for a slow copy on a busy machine is interrupted
/// more often than a fast one; by the clock on the wall for more threads.
fn spent(threads: usize, work: impl FnOnce()) -> f64 {
    if threads > 1 || !cfg!(all(target_os = "linux", target_pointer_width = "64")) {
        return seconds(work);
    }
    let now = || {
        let mut time = Time { seconds: 0, nanoseconds: 0 };
        // SAFETY: the function fills in what it is given; 3 is `CLOCK_THREAD_CPUTIME_ID`.
        unsafe { clock_gettime(3, &raw mut time) };
        time.seconds as f64 + time.nanoseconds as f64 * 1e-9
    };
    let start = now();
    work();
    now() - start
}

/// Prints a line for each copy.
pub(crate) fn print(asked: &Asked) {
    println!("{:38} {:>8} {:>12}", "", "dlferry", "memcpy GB/s");
    for case in all().into_iter().filter(|case| case.name.contains(&asked.only)) {
        let (source, target) = (memory(&case, case.from, asked), memory(&case, case.to, asked));
        let (to, from) = (describe(&target, &case, case.to), describe(&source, &case, case.from));
        let bytes = from.nbytes();
        let flat = Block::new(bytes, asked.huge);
        let threads = NonZeroUsize::new(asked.threads).expect("one or more");
        let (mut ours, mut speed) = (Vec::new(), Vec::new());
        for round in 0..=asked.rounds {
            let memcpy = spent(asked.threads, || sides::memcpy(target.first(), flat.first(), bytes, asked.threads));
            let us = spent(asked.threads, || {
                // SAFETY: the elements lie in the block.
                let view = unsafe { TensorView::new(&from) };
                // SAFETY: the elements lie in a block that nobody looks at meanwhile.
                unsafe { Job::new().threads(threads).copy_into(&to, view) }.expect("nobody interrupts");
            });
            if round > 0 {
                ours.push(memcpy / us);
                speed.push(bytes as f64 / memcpy * 1e-9);
            }
        }
        println!("{:38} {:8.3} {:12.1}", case.name, median(ours), median(speed));
    }
}
