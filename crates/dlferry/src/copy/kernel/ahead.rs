//! Fetching a source before it is read.
//!
//! Pages that are read one after another come from memory at little more than half the speed of some side by side. So
//! while some pages are read, those that follow are fetched, a line of each in turn.

use core::marker::PhantomData;

use super::LINE;
use super::simd::Vector;

/// Lines of a span: those of a page, beyond which processors do not look ahead by themselves.
const LINES: usize = 64;

/// Spans that are fetched side by side, unless others fit better.
pub(super) const TOGETHER: usize = 8;

/// Fetches what follows in a source that is read line by line, from `T` spans at a time.
pub(super) struct Ahead<V, const T: usize> {
    from: *const u8,
    /// Rows one after another, each of some spans one after another: how many, and bytes from one to the next.
    rows: (usize, isize),
    spans: (usize, isize),
    /// Lines of a span, and bytes from one to the next.
    lines: (usize, isize),
    /// The spans that are fetched, of which the first has this number.
    first: usize,
    next: [*const u8; T],
    /// Which line of them is next, and how many lines have been read since the one before.
    line: usize,
    read: usize,
    vector: PhantomData<V>,
}

impl<V: Vector, const T: usize> Ahead<V, T> {
    /// For `rows` of `bytes`, with `stride` bytes from one to the next, each read upwards or downwards from where it begins.
    #[inline(always)]
    pub(super) fn rows(from: *const u8, (rows, stride): (usize, isize), bytes: usize, is_upwards: bool) -> Self {
        let lines = bytes.div_ceil(LINE).max(1);
        let spans = lines.div_ceil(LINES);
        let lines = lines.div_ceil(spans);
        let line = if is_upwards { LINE as isize } else { -(LINE as isize) };
        Self::new(from, (rows, stride), (spans, lines as isize * line), (lines, line))
    }

    /// For a few planes of `bytes` that are read abreast, with `stride` bytes from one to the next; `T` is a multiple of how
    /// many.
    #[inline(always)]
    pub(super) fn planes(from: *const u8, (planes, stride): (usize, isize), bytes: usize) -> Self {
        let span = LINES * LINE;
        Self::new(from, (bytes.div_ceil(span), span as isize), (planes, stride), (LINES, LINE as isize))
    }

    #[inline(always)]
    fn new(from: *const u8, rows: (usize, isize), spans: (usize, isize), lines: (usize, isize)) -> Self {
        let mut this =
            Self { from, rows, spans, lines, first: 0, next: [from; T], line: 0, read: 0, vector: PhantomData };
        this.aim(T);
        this
    }

    /// Says that a row will be read now.
    #[inline(always)]
    pub(super) fn begin(&mut self, row: usize) {
        let number = row * self.spans.0;
        if number >= self.first {
            self.aim(number + T);
        }
    }

    /// Says that so many lines will be read now, and fetches as many of those to come.
    #[inline(always)]
    pub(super) fn read(&mut self, lines: usize) {
        self.read += lines;
        while self.read >= T {
            self.read -= T;
            let line = self.line as isize * self.lines.1;
            for span in self.next {
                V::prefetch(span.wrapping_offset(line));
            }
            self.line += 1;
            if self.line >= self.lines.0 {
                self.aim(self.first + T);
            }
        }
    }

    /// Goes on with the spans that begin with one; instead of what would follow the last, that again.
    #[inline(always)]
    fn aim(&mut self, first: usize) {
        self.first = first;
        self.line = 0;
        let last = (self.rows.0 * self.spans.0).saturating_sub(1);
        for (at, next) in self.next.iter_mut().enumerate() {
            let number = (first + at).min(last);
            let (row, span) = (number / self.spans.0, number % self.spans.0);
            *next = self.from.wrapping_offset(row as isize * self.rows.1 + span as isize * self.spans.1);
        }
    }
}
