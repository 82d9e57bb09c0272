//! The architecture of the crate: a module of a stratum imports from lower strata only.
//!
//! Every path that starts at the crate's root, `crate::x` or `super` often enough, is looked up in the table below.
//! Comments and literals do not count, so documentation may link anywhere; nor do unit tests (`tests.rs`, `tests/`).

#![allow(clippy::arithmetic_side_effects, reason = "the overflow checks of the test profile watch the counts")]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Each module at the root of the crate, with its stratum.
const STRATA: [(&str, u8); 8] = [
    ("abi", 0),
    ("layout", 1),
    ("element", 1),
    ("managed", 2),
    ("view", 3),
    ("export", 3),
    ("copy", 4),
    ("interop", 4),
];

/// Pairs of one stratum of which the first may import the second; an entry is a decision, with its reason.
const SIBLINGS: [(&str, &str); 0] = [];

fn stratum(module: &str) -> Option<u8> {
    STRATA.iter().find(|(name, _)| *name == module).map(|(_, stratum)| *stratum)
}

/// Why `from` may not import `to`; nothing when it may.
fn refusal(from: &str, to: &str) -> Option<String> {
    let Some(theirs) = stratum(to) else {
        return Some(format!("`{to}` is no module of the table; name the module that declares it"));
    };
    let ours = stratum(from)?;
    if from == to || theirs < ours || SIBLINGS.contains(&(from, to)) {
        return None;
    }
    Some(format!("`{from}` (stratum {ours}) imports `{to}` (stratum {theirs})"))
}

/// A word or a punctuation mark of the source; `::` is one mark.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token<'a> {
    line: usize,
    text: &'a str,
}

/// How many bytes the thing takes that starts `rest`, and whether it is code.
fn next_piece(rest: &str) -> (usize, bool) {
    let until = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    let word = |s: &str| s.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(s.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);

    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), false);
    }
    if rest.starts_with("/*") {
        return (block_comment(rest), false);
    }
    for prefix in ["r", "br", "cr"] {
        let Some(after) = rest.strip_prefix(prefix) else {
            continue;
        };
        let hashes = after.len() - after.trim_start_matches('#').len();
        if after[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            return (until(&end, prefix.len() + hashes + 1), false);
        }
    }
    if rest.starts_with('"') {
        return (quoted(rest, '"'), false);
    }
    if let Some(after) = rest.strip_prefix('\'') {
        let character = after.starts_with('\\') || after.chars().nth(1) == Some('\'');
        return if character { (quoted(rest, '\''), false) } else { (1 + word(after), false) };
    }
    if rest.starts_with("::") {
        return (2, true);
    }
    match word(rest) {
        0 => (first, !rest.starts_with(char::is_whitespace)),
        length => (length, true),
    }
}

/// The length of the block comment that starts `rest`; comments nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let here = &rest[at..];
        let step = if here.starts_with("/*") {
            depth += 1;
            2
        } else if here.starts_with("*/") {
            depth -= 1;
            2
        } else {
            here.chars().next().map_or(1, char::len_utf8)
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of the literal between two `quote` that starts `rest`.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

fn tokens(source: &str) -> Vec<Token<'_>> {
    let (mut found, mut rest, mut line) = (Vec::new(), source, 1);
    while !rest.is_empty() {
        let (length, code) = next_piece(rest);
        let (text, after) = rest.split_at(length);
        if code {
            found.push(Token { line, text });
        }
        line += text.matches('\n').count();
        rest = after;
    }
    found
}

/// The names at the root of the crate that a path goes through, when `path` starts behind `crate::`.
fn heads<'t, 'a>(path: &'t [Token<'a>]) -> Vec<&'t Token<'a>> {
    if path.first().is_none_or(|t| t.text != "{") {
        return path.first().into_iter().collect();
    }
    // A group, `crate::{a::X, b::{Y, Z}}`: the first word of each item of the outer braces.
    let (mut depth, mut starts, mut names) = (0, false, Vec::new());
    for token in path {
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ if starts => names.push(token),
            _ => {}
        }
        starts = depth == 1 && matches!(token.text, "{" | ",");
        if depth == 0 {
            break;
        }
    }
    names
}

/// Each name at the root of the crate that the source imports or names, with its line.
///
/// `depth` is how many modules deep the file is: 1 for `abi/mod.rs`, 2 for `abi/device.rs`.
fn root_names(source: &str, depth: usize) -> Vec<(usize, String)> {
    let tokens = tokens(source);
    let text = |at: usize| tokens.get(at).map_or("", |t| t.text);
    let mut names = Vec::new();
    // For each open brace, whether it is that of an inline module, which lies one deeper.
    let mut braces = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let mut next = at + 1;
        match text(at) {
            "{" => braces.push(at >= 2 && text(at - 2) == "mod"),
            "}" => drop(braces.pop()),
            "crate" if text(at + 1) == "::" => {
                names.extend(heads(tokens.get(at + 2..).unwrap_or_default()));
            }
            "super" if text(at + 1) == "::" => {
                let mut supers = 0;
                while text(at + 2 * supers) == "super" && text(at + 2 * supers + 1) == "::" {
                    supers += 1;
                }
                next = at + 2 * supers;
                if supers >= depth + braces.iter().filter(|inline| **inline).count() {
                    names.extend(heads(tokens.get(next..).unwrap_or_default()));
                }
            }
            _ => {}
        }
        at = next;
    }
    names.into_iter().map(|token| (token.line, token.text.to_owned())).collect()
}

/// The breaches of one file, whose path is relative to `src`.
fn breaches(file: &Path, source: &str) -> Vec<String> {
    let parts: Vec<_> = file.with_extension("").iter().map(|p| p.to_string_lossy().into_owned()).collect();
    if parts == ["lib"] {
        return Vec::new();
    }
    let (Some(module), depth) = (parts.first(), parts.iter().filter(|p| *p != "mod").count()) else {
        return Vec::new();
    };
    if stratum(module).is_none() {
        return vec![format!("{}: `{module}` has no stratum in the table", file.display())];
    }
    root_names(source, depth)
        .into_iter()
        .filter_map(|(line, name)| Some(format!("{}:{line}: {}", file.display(), refusal(module, &name)?)))
        .collect()
}

/// Every source file under `folder` but the unit tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the sources are readable") {
        let path = entry.expect("the sources are readable").path();
        if path.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn strata_import_downwards_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = sources(&src);
    assert!(files.len() > 5, "only {} files under {}", files.len(), src.display());
    let breaches: Vec<_> = files
        .iter()
        .flat_map(|path| breaches(path.strip_prefix(&src).unwrap(), &fs::read_to_string(path).unwrap()))
        .collect();
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn an_upward_or_sideways_import_is_a_breach() {
    // Each row: a file, its text, and the module whose import is refused.
    let cases = [
        ("layout/mod.rs", "use crate::view::TensorView;", "view"),
        ("layout/mod.rs", "use crate::element::Element;", "element"),
        ("export/owner.rs", "use crate::view::TensorView;", "view"),
        ("view/mod.rs", "fn f() { crate::copy::g() }", "copy"),
        ("copy/mod.rs", "use crate::interop::half;", "interop"),
        ("layout/a.rs", "use crate::{abi::{X, Y}, managed::Tensor};", "managed"),
        ("layout/mod.rs", "use super::managed::Tensor;", "managed"),
        ("layout/a.rs", "use super::super::managed::Tensor;", "managed"),
        ("layout/a.rs", "use super::super::{abi, managed};", "managed"),
        ("abi/mod.rs", "macro_rules! m { () => { $crate::layout::f() } }", "layout"),
        ("abi/mod.rs", "use crate::*;", "*"),
        ("abi/mod.rs", "use crate::Tensor;", "Tensor"),
    ];
    for (file, source, module) in cases {
        let found = breaches(Path::new(file), source);
        assert_eq!(found.len(), 1, "{file}: {source}: {found:?}");
        assert!(found[0].contains(&format!("`{module}`")), "{found:?}");
    }
}

#[test]
fn lower_strata_own_module_and_comments_are_no_breach() {
    let cases = [
        ("managed/mod.rs", "use crate::{abi::DLTensor, layout, element::Element};"),
        ("view/typed.rs", "use crate::view::X; use super::Y; use crate::managed::Tensor;"),
        ("copy/mod.rs", "fn f() { crate::view::g(); crate::export::h() }"),
        ("view/mod.rs", "mod inner { use super::Z; }"),
        ("layout/mod.rs", "//! See [`view`](crate::view).\n/// [`crate::view`]\n/* crate::view /* x */ crate::view */"),
        ("layout/mod.rs", "const S: &str = \"\\\" crate::view::x\"; const R: &str = r#\"\" crate::view\"#;"),
        ("layout/mod.rs", "fn f<'a>(c: char) -> &'a str { if c == '\"' { \"crate::view\" } else { \"'\" } }"),
        ("layout/mod.rs", "pub(crate) fn f() {} pub(in crate::layout) fn g() {}"),
        ("lib.rs", "pub use crate::view::TensorView;"),
    ];
    for (file, source) in cases {
        assert_eq!(breaches(Path::new(file), source), [""; 0], "{file}: {source}");
    }
}

#[test]
fn a_module_that_the_table_lacks_is_a_breach() {
    for file in ["helpers.rs", "helpers/mod.rs", "util/deep/mod.rs"] {
        assert_eq!(breaches(Path::new(file), "").len(), 1, "{file}");
    }
}

#[test]
fn a_breach_is_told_with_its_line() {
    let found = breaches(Path::new("abi/a.rs"), "//! Docs.\n\nuse core::fmt;\n\nuse crate::{\n    view::X,\n};\n");
    assert_eq!(found, ["abi/a.rs:6: `abi` (stratum 0) imports `view` (stratum 3)"]);
}
