//! End-to-end and structure tests.

mod tidy;
