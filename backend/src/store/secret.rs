//! Secrets at rest: XChaCha20-Poly1305 under a key file of the data folder, bound to an identity.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use chacha20poly1305::aead::{Aead, Generate, Key, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use secrecy::{ExposeSecret, SecretString};

use super::StoreError;

const NONCE_BYTES: usize = 24;
const KEY_BYTES: usize = 32;

/// Seals and opens secrets. A secret sealed for one identity does not open for another, so a row
/// copied over another row's gives nothing away.
pub struct Keeper {
    cipher: XChaCha20Poly1305,
}

impl Keeper {
    /// Reads the key file, or makes one that only its owner can read.
    ///
    /// # Errors
    /// If the file can neither be read nor made, or is no key.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io { path: path.to_owned(), source };
        let key = match std::fs::read(path) {
            Ok(key) => key,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                Self::make(path).map_err(io)?;
                std::fs::read(path).map_err(io)?
            }
            Err(e) => return Err(io(e)),
        };
        let key: [u8; KEY_BYTES] = key.try_into().map_err(|_| StoreError::Sealed)?;
        Ok(Self { cipher: XChaCha20Poly1305::new(&key.into()) })
    }

    /// Two processes may start at once: the file appears whole under its name, and the first wins.
    fn make(path: &Path) -> std::io::Result<()> {
        let key = Key::<XChaCha20Poly1305>::try_generate().map_err(std::io::Error::other)?;
        let draft = path.with_extension(format!("new-{}", std::process::id()));
        let mut file = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&draft)?;
        file.write_all(&key)?;
        file.sync_all()?;
        let linked = std::fs::hard_link(&draft, path);
        std::fs::remove_file(&draft)?;
        match linked {
            Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => Err(e),
            _ => Ok(()),
        }
    }

    /// Seals a secret for an identity.
    ///
    /// # Errors
    /// If the system gives no randomness.
    pub fn seal(&self, id: &str, secret: &SecretString) -> Result<Vec<u8>, StoreError> {
        let nonce = XNonce::try_generate().map_err(|_| StoreError::Sealed)?;
        let message = Payload { msg: secret.expose_secret().as_bytes(), aad: id.as_bytes() };
        let sealed = self.cipher.encrypt(&nonce, message).map_err(|_| StoreError::Sealed)?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Opens what was sealed for this identity.
    ///
    /// # Errors
    /// If it was sealed for another identity, by another key, or was changed.
    pub fn open_sealed(&self, id: &str, sealed: &[u8]) -> Result<SecretString, StoreError> {
        let (nonce, body) = sealed.split_at_checked(NONCE_BYTES).ok_or(StoreError::Sealed)?;
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().map_err(|_| StoreError::Sealed)?;
        let message = Payload { msg: body, aad: id.as_bytes() };
        let plain = self.cipher.decrypt(&nonce.into(), message).map_err(|_| StoreError::Sealed)?;
        let text = String::from_utf8(plain).map_err(|_| StoreError::Sealed)?;
        Ok(SecretString::from(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_secret_opens_only_for_its_identity_and_key() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secret.key");
        let keeper = Keeper::open(&path).unwrap();
        let sealed = keeper.seal("t1", &SecretString::from("pa ss")).unwrap();
        assert!(!sealed.windows(5).any(|w| w == b"pa ss"));
        let again = Keeper::open(&path).unwrap();
        assert_eq!(again.open_sealed("t1", &sealed).unwrap().expose_secret(), "pa ss");
        assert!(again.open_sealed("t2", &sealed).is_err());
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let other = Keeper::open(&dir.path().join("other.key")).unwrap();
        assert!(other.open_sealed("t1", &sealed).is_err());
    }
}
