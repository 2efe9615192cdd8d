//! Routes, extractors, uploads, server-sent events.
