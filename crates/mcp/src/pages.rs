//! Lists of definitions in pages (protocol checklist §11).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::RpcError;

/// Bytes of the tag in front of the name.
const TAG: usize = 16;

/// Cuts a list into pages. A cursor holds the name of the last item that was sent, under a tag which only the holder of
/// the key can make; it goes on behind that name, so that it stays good when items come and go, after a restart, and in
/// another process.
#[derive(Clone, Copy)]
pub struct Pages<'a> {
    /// A secret of the server, the same in all its processes; 32 random bytes or more.
    pub key: &'a [u8],
    /// Which list of which caller this is; a cursor of another one is refused.
    pub list: &'a [u8],
    /// The most items on a page, at least 1.
    pub size: usize,
}

impl Pages<'_> {
    /// The page of `items` that `cursor` points to, and the cursor of the next, `None` on the last. The items stand in
    /// ascending order of their names, none twice. Without a cursor, or with the empty one, the list begins.
    ///
    /// # Errors
    /// The cursor was not made here, or for another list (-32602).
    pub fn page<T>(
        &self,
        items: Vec<T>,
        name: impl Fn(&T) -> &str,
        cursor: Option<&str>,
    ) -> Result<(Vec<T>, Option<String>), RpcError> {
        let after = match cursor {
            None | Some("") => None,
            Some(cursor) => Some(self.read(cursor).ok_or_else(RpcError::invalid_cursor)?),
        };
        let mut rest =
            items.into_iter().skip_while(|item| after.as_deref().is_some_and(|after| name(item) <= after)).peekable();
        let page: Vec<T> = rest.by_ref().take(self.size.max(1)).collect();
        let next = page.last().filter(|_| rest.peek().is_some()).map(|last| self.write(name(last)));
        Ok((page, next))
    }

    fn write(&self, name: &str) -> String {
        let tag = self.mac(name).finalize().into_bytes();
        let bytes: Vec<u8> = tag.iter().take(TAG).copied().chain(name.bytes()).collect();
        URL_SAFE_NO_PAD.encode(bytes)
    }

    fn read(&self, cursor: &str) -> Option<String> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (tag, name) = bytes.split_first_chunk::<TAG>()?;
        let name = std::str::from_utf8(name).ok()?;
        self.mac(name).verify_truncated_left(tag).ok()?;
        Some(name.to_owned())
    }

    fn mac(&self, name: &str) -> Hmac<Sha256> {
        // INVARIANT: HMAC takes keys of any length.
        let mut mac = Hmac::<Sha256>::new_from_slice(self.key).expect("a key of any length");
        mac.update(b"chorus-mcp cursor");
        mac.update(&(self.list.len() as u64).to_be_bytes());
        mac.update(self.list);
        mac.update(name.as_bytes());
        mac
    }
}
