//! Files: formats, unpacking, decoding, whole-file profile, chunks. Knows nothing of the target.
