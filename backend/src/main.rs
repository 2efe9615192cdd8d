//! The `plimsoll` binary.

fn main() -> std::process::ExitCode {
    plimsoll::cli::main()
}
