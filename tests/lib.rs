//! Nothing but the tests: a virtual workspace root has none of its own.
