//! Numbers as they stand in a file, read well enough to put them in order.

/// A number, exact for up to fifteen digits: near enough to put values in order. The standard
/// library's reader would bring ten kilobytes of tables into the page.
#[must_use]
pub fn to_f64(bytes: &[u8], decimal: u8) -> Option<f64> {
    let (sign, digits) = match bytes {
        [b'-', rest @ ..] => (-1.0, rest),
        [b'+', rest @ ..] => (1.0, rest),
        rest => (1.0, rest),
    };
    let (digits, mut power) = match digits.iter().position(|b| matches!(b, b'e' | b'E')) {
        Some(at) => {
            let exponent = std::str::from_utf8(digits.get(at + 1..)?).ok()?;
            (digits.get(..at)?, exponent.parse::<i32>().ok()?.clamp(-1000, 1000))
        }
        None => (digits, 0),
    };
    let (mut value, mut behind, mut any) = (0.0_f64, false, false);
    for byte in digits {
        match byte {
            b'0'..=b'9' => {
                any = true;
                value = value * 10.0 + f64::from(byte - b'0');
                power -= i32::from(behind);
            }
            mark if *mark == decimal && !behind => behind = true,
            _ => return None,
        }
    }
    let scaled = match power {
        _ if value == 0.0 => 0.0,
        0.. => value * 10_f64.powi(power),
        _ => value / 10_f64.powi(-power),
    };
    any.then_some(sign * scaled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_read_and_nonsense_is_not() {
        for (text, number) in [
            ("0", Some(0.0)),
            ("-12.5", Some(-12.5)),
            ("+.5", Some(0.5)),
            ("1e3", Some(1000.0)),
            ("1.5E-3", Some(0.0015)),
            ("0e999", Some(0.0)),
            ("9e999", Some(f64::INFINITY)),
            ("", None),
            ("-", None),
            ("1.2.3", None),
            ("12a", None),
        ] {
            assert_eq!(to_f64(text.as_bytes(), b'.'), number, "{text}");
        }
        assert_eq!(to_f64(b"1,25", b','), Some(1.25));
    }

    proptest! {
        #[test]
        fn up_to_fifteen_digits_are_exact(whole in 0_u64..1_000_000_000, fraction in 0_u32..1_000_000) {
            let text = format!("{whole}.{fraction:06}");
            prop_assert_eq!(to_f64(text.as_bytes(), b'.'), text.parse().ok());
        }
    }
}
