//! A run's life: plan, workers, progress, cancel, resume, recovery.
