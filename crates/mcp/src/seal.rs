//! State that travels through the client and back (protocol checklist §17).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{Inputs, RpcError, Work};

/// Bytes of the expiry in front of the sealed text.
const EXPIRY: usize = 8;
/// Bytes of the tag behind the expiry.
const TAG: usize = 32;

/// Seals the state of a request that takes several rounds, and opens what comes back. What was sealed for one caller
/// and one request opens for no other, nor after its time, nor altered by a bit. It can be read, and it can be used
/// more than once until it expires.
#[derive(Clone, Copy)]
pub struct StateSeal<'a> {
    /// A secret of the server, the same in all its processes; 32 random bytes or more.
    pub key: &'a [u8],
    /// Who is calling, so that nobody can use what was sealed for another.
    pub principal: &'a [u8],
    /// The time, in seconds since 1970.
    pub now: u64,
}

impl StateSeal<'_> {
    /// Seals `state` for the next round of `work`, which has to come before `expires`, in seconds since 1970. `None`
    /// for work that cannot take several rounds.
    #[must_use]
    pub fn seal(&self, work: &Work, state: &str, expires: u64) -> Option<String> {
        let expires = expires.to_be_bytes();
        let tag = self.mac(&binding(work)?.1, expires, state.as_bytes()).finalize().into_bytes();
        Some(URL_SAFE_NO_PAD.encode([&expires, tag.as_slice(), state.as_bytes()].concat()))
    }

    /// The state that the client of `work` brought back, if it brought any.
    ///
    /// # Errors
    /// It was not sealed here, or for another caller or request, or too long ago (-32602).
    pub fn open(&self, work: &Work) -> Result<Option<String>, RpcError> {
        let Some((inputs, binding)) = binding(work) else { return Ok(None) };
        let Some(sealed) = &inputs.state else { return Ok(None) };
        self.unseal(&binding, sealed).map(Some).ok_or_else(RpcError::invalid_state)
    }

    fn unseal(&self, binding: &[u8; 32], sealed: &str) -> Option<String> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (expires, rest) = bytes.split_first_chunk::<EXPIRY>()?;
        let (tag, state) = rest.split_first_chunk::<TAG>()?;
        self.mac(binding, *expires, state).verify_slice(tag).ok()?;
        (self.now < u64::from_be_bytes(*expires)).then(|| String::from_utf8(state.to_vec()).ok())?
    }

    fn mac(&self, binding: &[u8; 32], expires: [u8; EXPIRY], state: &[u8]) -> Hmac<Sha256> {
        // INVARIANT: HMAC takes keys of any length.
        let mut mac = Hmac::<Sha256>::new_from_slice(self.key).expect("a key of any length");
        // Every part but the last has a fixed length or is preceded by it, so that no two inputs run together.
        mac.update(b"chorus-mcp request state");
        mac.update(&(self.principal.len() as u64).to_be_bytes());
        mac.update(self.principal);
        mac.update(binding);
        mac.update(&expires);
        mac.update(state);
        mac
    }
}

/// What of a request has to be the same in its next round, digested; with the inputs that this round brought.
fn binding(work: &Work) -> Option<(&Inputs, [u8; 32])> {
    let mut hash = Sha256::new();
    let inputs = match work {
        Work::CallTool { name, arguments, inputs } => {
            text(&mut hash, "tools/call");
            text(&mut hash, name);
            for (name, argument) in sorted(arguments.iter()) {
                text(&mut hash, name);
                value(&mut hash, argument);
            }
            inputs
        }
        Work::ReadResource { uri, inputs } => {
            text(&mut hash, "resources/read");
            text(&mut hash, uri);
            inputs
        }
        Work::GetPrompt { name, arguments, inputs } => {
            text(&mut hash, "prompts/get");
            text(&mut hash, name);
            for (name, argument) in arguments {
                text(&mut hash, name);
                text(&mut hash, argument);
            }
            inputs
        }
        Work::ListTools { .. }
        | Work::ListResources { .. }
        | Work::ListTemplates { .. }
        | Work::Subscribe { .. }
        | Work::Unsubscribe { .. }
        | Work::ListPrompts { .. }
        | Work::Complete(_)
        | Work::Listen(_)
        | Work::GetTask { .. }
        | Work::UpdateTask { .. }
        | Work::CancelTask { .. } => return None,
    };
    Some((inputs, hash.finalize().into()))
}

/// Digests a value so that the order of an object's members does not matter, and nothing else is lost.
fn value(hash: &mut Sha256, it: &Value) {
    match it {
        Value::Null | Value::Bool(_) | Value::Number(_) => text(hash, &it.to_string()),
        Value::String(string) => {
            hash.update(b"s");
            text(hash, string);
        }
        Value::Array(items) => {
            hash.update(b"a");
            hash.update((items.len() as u64).to_be_bytes());
            items.iter().for_each(|item| value(hash, item));
        }
        Value::Object(members) => {
            hash.update(b"o");
            hash.update((members.len() as u64).to_be_bytes());
            for (name, member) in sorted(members.iter()) {
                text(hash, name);
                value(hash, member);
            }
        }
    }
}

fn sorted<'a>(members: impl Iterator<Item = (&'a String, &'a Value)>) -> Vec<(&'a String, &'a Value)> {
    let mut members: Vec<_> = members.collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    members
}

fn text(hash: &mut Sha256, it: &str) {
    hash.update((it.len() as u64).to_be_bytes());
    hash.update(it.as_bytes());
}
