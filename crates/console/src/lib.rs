#![doc = include_str!("../README.md")]

mod act;
mod answer;
mod assets;
mod browser;
mod console;
mod cookies;
mod desk;
mod fault;
mod form;
mod frame;
mod graph;
mod html;
mod language;
mod link;
mod live;
mod markdown;
mod moment;
mod pages;
mod paging;
mod refusals;
mod routes;
mod sentence;
mod texts;

pub use console::{Console, Settings};
pub use language::Language;
pub use routes::{FormPath, forms, paths};
pub use texts::{CATALOGUES, Texts};
