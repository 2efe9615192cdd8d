//! Writing chunks by each strategy; staging, ledger, index DDL, swap, sort, verify.
