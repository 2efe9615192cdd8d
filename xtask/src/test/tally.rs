//! Counting what passed, from the closing lines of the test runners.

use std::ops::AddAssign;

/// Tests that passed, failed and were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that passed; a check without tests of its own counts as one.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that were not run.
    pub skipped: u64,
}

impl Tally {
    /// A check that passed.
    pub fn one_passed() -> Self {
        Self { passed: 1, ..Self::default() }
    }

    /// A check that failed.
    pub fn one_failed() -> Self {
        Self { failed: 1, ..Self::default() }
    }

    /// A check that could not be made here.
    pub fn one_skipped() -> Self {
        Self { skipped: 1, ..Self::default() }
    }

    /// A check of which only the exit code speaks.
    pub fn of(success: bool) -> Self {
        if success { Self::one_passed() } else { Self::one_failed() }
    }

    /// The sum of libtest's `test result: ok. 3 passed; 0 failed; 1 ignored; …` lines.
    pub fn of_libtest(output: &str) -> Self {
        let mut tally = Self::default();
        for line in output.lines() {
            let Some(result) = line.trim().strip_prefix("test result: ") else { continue };
            let counts = result.split_once(". ").map_or("", |(_, counts)| counts);
            for count in counts.split("; ") {
                match count.split_once(' ') {
                    Some((n, "passed")) => tally.passed += n.parse().unwrap_or(0),
                    Some((n, "failed")) => tally.failed += n.parse().unwrap_or(0),
                    Some((n, "ignored")) => tally.skipped += n.parse().unwrap_or(0),
                    _ => {}
                }
            }
        }
        tally
    }

    /// The counts at the end of node's TAP report: `# pass 2`, `# fail 0` and so on.
    pub fn of_node(tap: &str) -> Self {
        let count = |name: &str| {
            let found = tap.lines().rev().find_map(|line| line.strip_prefix(name));
            found.and_then(|n| n.trim().parse().ok()).unwrap_or(0)
        };
        Self {
            passed: count("# pass "),
            failed: count("# fail ") + count("# cancelled "),
            skipped: count("# skipped ") + count("# todo "),
        }
    }

    /// The same tally, unless the runner failed without naming a failed test: then one has failed.
    pub fn and_exit(mut self, success: bool) -> Self {
        if !success && self.failed == 0 {
            self.failed = 1;
        }
        self
    }

    /// `12 passed, 0 failed`, and the skipped where there are any.
    pub fn closing_line(self) -> String {
        let mut line = format!("{} passed, {} failed", self.passed, self.failed);
        if self.skipped > 0 {
            line.push_str(&format!(", {} skipped", self.skipped));
        }
        line
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtest_lines_add_up() {
        let output = "running 2 tests\n\
            test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            test result: FAILED. 3 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(Tally::of_libtest(output), Tally { passed: 5, failed: 4, skipped: 1 });
    }

    #[test]
    fn node_counts_cancelled_tests_as_failed() {
        let tap =
            "# tests 5\n# suites 0\n# pass 2\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0\n";
        assert_eq!(Tally::of_node(tap), Tally { passed: 2, failed: 2, skipped: 1 });
    }

    #[test]
    fn a_runner_that_dies_without_a_word_has_failed() {
        assert_eq!(Tally::default().and_exit(false), Tally::one_failed());
        assert_eq!(Tally::one_failed().and_exit(false), Tally::one_failed());
        assert_eq!(Tally::one_passed().and_exit(true), Tally::one_passed());
    }

    #[test]
    fn the_closing_line_is_plain() {
        let tally = Tally { passed: 7, failed: 0, skipped: 0 };
        assert_eq!(tally.closing_line(), "7 passed, 0 failed");
        assert_eq!(Tally { skipped: 2, ..tally }.closing_line(), "7 passed, 0 failed, 2 skipped");
    }
}
