"""For each library, its side of an exchange. Each module imports its library; `facts` has what is expected of it.

A module has:

- `make(dtype, layout)`: an array, or None where the library lacks the dtype;
- `values(array)`: nested lists, or `...` where it cannot list them;
- `pointer(array)`: the address of the first element, or None where it cannot be known;
- `writable(array)`: None where that cannot be known;
- `WAYS`: its functions that take a tensor, and `CHAIN`, the one that chains use;
- `ALIGNMENT`, if it shares no other memory;
- `narrowed(array, dtype)`, if it makes narrower dtypes of some;
- the probes of its quirks.
"""
