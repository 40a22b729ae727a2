//! Tenants, people, agents and their keys.

use chorus_ids::{AgentId, CompanyId, KeyId, Timestamp, UserId};

/// A tenant: everything belongs to exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Company {
    /// Its id.
    pub id: CompanyId,
    /// Its name.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Their id.
    pub id: UserId,
    /// Their tenant.
    pub company: CompanyId,
    /// Unique in the company, compared without case.
    pub email: Option<String>,
    /// What they are called.
    pub name: Option<String>,
    /// Their password as an argon2id hash; without one they can't sign in with a password.
    pub password_hash: Option<String>,
    /// Since when they are suspended: they and their agents are let in nowhere, and nothing can be given to them.
    pub suspended_at: Option<Timestamp>,
    /// When they were made; the earliest of a company is its first user.
    pub created_at: Timestamp,
}

impl User {
    /// The name to show: name, else e-mail, else `Unknown` (data model specification §2).
    pub fn display_name(&self) -> &str {
        self.name.as_deref().or(self.email.as_deref()).unwrap_or("Unknown")
    }
}

/// What is left of a person who was removed: finished work, comments and activities go on naming them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerUser {
    /// Their id.
    pub id: UserId,
    /// Their tenant.
    pub company: CompanyId,
    /// What they were called.
    pub name: String,
    /// When they were removed.
    pub removed_at: Timestamp,
}

/// A program that acts with an API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// Its tenant.
    pub company: CompanyId,
    /// What it is called.
    pub name: String,
    /// Names of presets, as stored.
    pub roles: Vec<String>,
    /// Names of single bits, as stored.
    pub permissions: Vec<String>,
    /// How it should see itself.
    pub persona: Option<String>,
    /// Instructions for it.
    pub system_prompt: Option<String>,
    /// Whose access it has; an ownerless agent reaches public projects only.
    pub owner: Option<UserId>,
    /// When it last checked in.
    pub last_active_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What is left of an agent that was removed: finished work, comments and activities go on naming it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerAgent {
    /// Its id.
    pub id: AgentId,
    /// Its tenant.
    pub company: CompanyId,
    /// What it was called.
    pub name: String,
    /// When it was removed.
    pub removed_at: Timestamp,
}

/// An API key of an agent. The key itself is not stored, only its hash (permissions specification §8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id.
    pub id: KeyId,
    /// Its tenant.
    pub company: CompanyId,
    /// Whose it is.
    pub agent: AgentId,
    /// Lower-case hexadecimal SHA-256 of the whole key.
    pub hash: String,
    /// What is shown of it: `cho_abcd...wxyz`.
    pub prefix: String,
    /// What it is called.
    pub name: Option<String>,
    /// When it was last used, to the minute.
    pub last_used: Option<Timestamp>,
    /// From when on it no longer works; at that very moment it still does.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
}
