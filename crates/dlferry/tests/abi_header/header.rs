//! The side of C: what the text of `dlpack.h` declares, and what a compiler makes of it.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path, process::Command};

use dlferry::abi::DLPackVersion;

use crate::Values;

/// Macros of the header that carry no value of the ABI.
const MACROS_WITHOUT_VALUE: [&str; 4] = ["DLPACK_DLPACK_H_", "DLPACK_EXTERN_C", "DLPACK_DLL", "DLPACK_EXPORTS"];

/// The header's text without comments.
fn without_comments(header: &str) -> String {
    let mut code = String::new();
    let mut rest = header;
    while let Some((before, comment)) = rest.split_once('/') {
        code.push_str(before);
        rest = if let Some(block) = comment.strip_prefix('*') {
            block.split_once("*/").expect("a comment of the header never ends").1
        } else if comment.starts_with('/') {
            comment.trim_start_matches(|c| c != '\n')
        } else {
            code.push('/');
            comment
        };
    }
    code + rest
}

/// The macro that a line defines, with its value.
fn macro_of(line: &str) -> Option<(&str, &str)> {
    let definition = line.trim().strip_prefix("#define")?.trim();
    Some(definition.split_once(char::is_whitespace).unwrap_or((definition, "")))
}

/// The name that a declaration gives: `ndim` of `int32_t ndim`, `deleter` of `void (*deleter)(...)`.
fn declared_name(declaration: &str) -> &str {
    let declarator = match declaration.split_once("(*") {
        Some((_, function)) => function.split(')').next().unwrap_or_default(),
        None => declaration,
    };
    declarator.rsplit(|c: char| c.is_whitespace() || c == '*').next().unwrap_or_default()
}

/// Each name that the header's text declares, with the C expression of its value.
pub(crate) fn header_expressions(header: &str) -> BTreeMap<String, String> {
    let code = without_comments(header);
    let mut expressions = BTreeMap::new();
    for (name, _) in code.lines().filter_map(macro_of) {
        if !MACROS_WITHOUT_VALUE.contains(&name) {
            expressions.insert(name.to_owned(), name.to_owned());
        }
    }
    let declarations: String =
        code.lines().filter(|l| !l.trim_start().starts_with('#')).flat_map(|l| [l, "\n"]).collect();
    // `typedef struct { ... } Name;`: no body of the header holds another one.
    let mut chunks = declarations.split('}').peekable();
    while let Some(chunk) = chunks.next() {
        let Some((before, body)) = chunk.rsplit_once('{') else {
            continue;
        };
        let name = chunks.peek().and_then(|after| after.split(';').next()).unwrap_or_default().trim();
        let head = before.rsplit(';').next().unwrap_or_default();
        if head.contains("enum") {
            for enumerator in body.split(',').filter_map(|e| e.split('=').next()).map(str::trim) {
                expressions.insert(enumerator.to_owned(), enumerator.to_owned());
            }
        } else if head.contains("struct") {
            expressions.insert(format!("sizeof.{name}"), format!("sizeof({name})"));
            expressions.insert(format!("alignof.{name}"), format!("_Alignof({name})"));
            for field in body.split(';').map(str::trim).filter(|f| !f.is_empty()).map(declared_name) {
                expressions.insert(format!("offsetof.{name}.{field}"), format!("offsetof({name}, {field})"));
                expressions.insert(format!("sizeof.{name}.{field}"), format!("sizeof((({name} *)0)->{field})"));
            }
        }
    }
    expressions.remove("");
    expressions
}

/// Fails unless the header is of the version that this crate implements.
pub(crate) fn check_version(header: &str) -> Result<(), String> {
    let code = without_comments(header);
    let macros: BTreeMap<_, _> = code.lines().filter_map(macro_of).collect();
    let wanted = DLPackVersion::CURRENT;
    let (Some(major), Some(minor)) = (macros.get("DLPACK_MAJOR_VERSION"), macros.get("DLPACK_MINOR_VERSION")) else {
        return Err(format!("the header is older than DLPack 1.0; version {wanted} is needed"));
    };
    let found = format!("{}.{}", major.trim(), minor.trim());
    if found == wanted.to_string() {
        Ok(())
    } else {
        Err(format!("the header is of DLPack {found}; version {wanted} is needed"))
    }
}

/// Compiles a C program that includes the header and prints every value; gives what it printed.
pub(crate) fn c_values(header: &Path, expressions: &BTreeMap<String, String>) -> Values {
    let mut prints = String::new();
    for (name, value) in expressions {
        writeln!(prints, r#"  printf("%s %lld\n", "{name}", (long long)({value}));"#).expect("a String takes all");
    }
    let program = format!(
        "#include <stddef.h>\n#include <stdio.h>\n#include \"{}\"\nint main(void) {{\n{prints}  return 0;\n}}\n",
        header.display()
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("abi_header");
    let (source, binary) = (folder.join("values.c"), folder.join("values"));
    fs::create_dir_all(&folder).expect("the folder for tests is writable");
    fs::write(&source, program).expect("the folder for tests is writable");

    // `CC` may hold arguments too, as in `ccache gcc`.
    let cc = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut words = cc.split_whitespace();
    let compiled = Command::new(words.next().expect("CC is empty"))
        .args(words)
        .arg("-std=c11")
        .arg(&source)
        .arg("-o")
        .arg(&binary)
        .output()
        .unwrap_or_else(|error| panic!("the C compiler `{cc}` does not start: {error}"));
    assert!(compiled.status.success(), "{cc} fails:\n{}", String::from_utf8_lossy(&compiled.stderr));

    let printed = Command::new(&binary).output().expect("what was compiled starts");
    assert!(printed.status.success(), "the C program fails");
    let lines = String::from_utf8(printed.stdout).expect("the C program prints ASCII");
    lines
        .lines()
        .map(|line| line.split_once(' ').expect("a line is `name value`"))
        .map(|(name, value)| (name.to_owned(), value.parse().expect("a value is a number")))
        .collect()
}

/// A small header with one declaration of each kind that `dlpack.h` uses.
const SMALL_HEADER: &str = r#"
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#define DLPACK_MAJOR_VERSION 1 // kDLComment = 5
#define DLPACK_MINOR_VERSION 3
#ifdef __cplusplus
extern "C" {
#endif
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  /*! \brief kDLOther = 9 / 2 */
  kDLCPU = 1,
  kDLCUDA = 2,
} DLDeviceType;
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void * manager_ctx;
  void (*deleter)(struct DLManagedTensor * self);
} DLManagedTensor;
typedef int (*DLPackCurrentWorkStream)(DLDeviceType device_type, void** out);
typedef struct { int64_t* shape; } DLTensor;
#endif
"#;

#[test]
fn names_are_read_out_of_the_header() {
    let expressions = header_expressions(SMALL_HEADER);
    let names: Vec<_> = expressions.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "DLPACK_MAJOR_VERSION",
            "DLPACK_MINOR_VERSION",
            "alignof.DLManagedTensor",
            "alignof.DLTensor",
            "kDLCPU",
            "kDLCUDA",
            "offsetof.DLManagedTensor.deleter",
            "offsetof.DLManagedTensor.dl_tensor",
            "offsetof.DLManagedTensor.manager_ctx",
            "offsetof.DLTensor.shape",
            "sizeof.DLManagedTensor",
            "sizeof.DLManagedTensor.deleter",
            "sizeof.DLManagedTensor.dl_tensor",
            "sizeof.DLManagedTensor.manager_ctx",
            "sizeof.DLTensor",
            "sizeof.DLTensor.shape",
        ]
    );
}

#[test]
fn other_versions_of_the_header_are_refused() {
    let older = SMALL_HEADER.replace("MINOR_VERSION 3", "MINOR_VERSION 1");
    let ancient = "#define DLPACK_VERSION 60\n";
    for (header, said) in [(older.as_str(), "of DLPack 1.1;"), (ancient, "older than DLPack 1.0;")] {
        let message = check_version(header).unwrap_err();
        assert!(message.contains(said), "{message}");
    }
    assert_eq!(check_version(SMALL_HEADER), Ok(()));
}
