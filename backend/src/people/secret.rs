//! Secrets that we make: long random texts, of which only a digest is kept. They cannot be guessed,
//! so a plain digest is enough.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

const BYTES: usize = 32;

/// A new secret and what is kept of it.
pub struct Secret {
    /// What its owner gets, once.
    pub text: String,
    /// What is kept.
    pub hash: Vec<u8>,
}

impl Secret {
    /// Makes one; the beginning says what it is to whoever finds it.
    pub fn make(beginning: &str) -> Result<Self, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        let text = format!("{beginning}{}", URL_SAFE_NO_PAD.encode(bytes));
        let hash = hash(&text);
        Ok(Self { text, hash })
    }
}

/// What is kept of a secret.
pub fn hash(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}
