#![doc = include_str!("../README.md")]

pub mod accounts;
mod authenticate;
mod create;
mod email;
mod error;
mod header;
mod key;
mod password;
mod update;
mod usage;

pub use accounts::Accounts;
pub use authenticate::{Authenticator, Ticket, Unscoped};
pub use create::{
    KeyText, Moment, NewAgent, NewUser, create_agent, create_company, create_key, create_key_row, create_user,
};
pub use email::{MAX_EMAIL, check_email};
pub use error::{AuthError, REALM};
pub use header::presented_hash;
pub use key::NewKey;
pub use password::{MAX_PASSWORD_BYTES, MIN_PASSWORD, check_password, hash_password};
pub use update::{AgentChange, update_agent};
