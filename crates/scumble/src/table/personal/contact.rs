//! Ways to reach someone, and addresses of what they use.

use std::net::IpAddr;

use super::{Kind, Kinds};

pub(super) fn add(text: &str, digits: usize, kinds: &mut Kinds) {
    // An address may stand in brackets, or behind `mailto:`.
    let email = || is_email(text) || !text.contains(char::is_whitespace) && holds_email(text);
    kinds.add_if(Kind::Email, text.contains('@') && email());
    kinds.add_if(Kind::Url, is_url(text));
    if digits < 3 && !text.contains(':') {
        return;
    }
    let ip_address = is_ip_address(text);
    let mac_address = is_mac_address(text);
    kinds.add_if(Kind::IpAddress, ip_address);
    kinds.add_if(Kind::MacAddress, mac_address);
    match hexadecimal(text) {
        Some(Hexadecimal::Uuid) => kinds.add(Kind::Uuid),
        Some(Hexadecimal::Key) => kinds.add(Kind::HexKey),
        None => kinds.add_if(Kind::Phone, !ip_address && !mac_address && is_phone(text, digits)),
    }
}

/// One address: no blanks, one `@`, and a host with a dot (RFC 5322, without quoted names, which nobody uses).
pub(super) fn is_email(text: &str) -> bool {
    let Some((user, host)) = text.rsplit_once('@') else { return false };
    let named = |sign: char| sign.is_alphanumeric() || "!#$%&'*+-=?^_`{|}~.".contains(sign);
    let labelled = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|sign| sign.is_alphanumeric() || sign == '-' || sign == '_')
    };
    let top = host.rsplit('.').next().unwrap_or_default();
    (1..=64).contains(&user.len())
        && user.chars().all(named)
        && host.len() <= 253
        && host.contains('.')
        && host.split('.').all(labelled)
        && top.chars().count() >= 2
        && !top.starts_with(|sign: char| sign.is_ascii_digit())
}

/// Whether an e-mail address stands anywhere in a text, as in `Anna <anna@mail.example>`.
pub(super) fn holds_email(text: &str) -> bool {
    let between = |sign: char| sign.is_whitespace() || "<>()[]{}\"',;:|/".contains(sign);
    text.contains('@')
        && text.split(between).any(|word| word.contains('@') && is_email(word.trim_matches(['.', '!', '?'])))
}

/// The beginnings of web addresses.
const STARTS: [&str; 4] = ["http://", "https://", "ftp://", "www."];

pub(super) fn is_url(text: &str) -> bool {
    let begins = |start: &str| {
        text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
            && text.len() > start.len()
    };
    STARTS.iter().any(|start| begins(start)) && !text.contains(char::is_whitespace)
}

/// An address of a device, or of a network with the length of its prefix.
pub(super) fn is_ip_address(text: &str) -> bool {
    let (address, prefix) = text.split_once('/').unwrap_or((text, "0"));
    // The standard library reads no address that is longer than this.
    address.len() <= 45
        && address.parse::<IpAddr>().is_ok()
        && prefix.parse::<u8>().is_ok_and(|bits| bits <= 128)
}

/// Six pairs of hexadecimal digits with `:` or `-` between them, or three groups of four with dots (IEEE 802).
fn is_mac_address(text: &str) -> bool {
    let grouped = |separator: char, count: usize, length: usize| {
        text.split(separator).count() == count
            && text.split(separator).all(|group| group.len() == length && is_hexadecimal(group))
    };
    match text.len() {
        17 => grouped(':', 6, 2) || grouped('-', 6, 2),
        14 => grouped('.', 3, 4),
        _ => false,
    }
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|sign| sign.is_ascii_hexdigit())
}

enum Hexadecimal {
    Uuid,
    Key,
}

/// Keys that a program drew: a UUID (RFC 9562), also in braces or without hyphens, and longer ones.
fn hexadecimal(text: &str) -> Option<Hexadecimal> {
    let bare = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
    let bare = bare.strip_prefix("urn:uuid:").unwrap_or(bare);
    if bare.len() < 32 || !bare.bytes().all(|sign| sign.is_ascii_hexdigit() || sign == b'-') {
        return None;
    }
    let grouped = bare.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    match bare.len() {
        36 if grouped => Some(Hexadecimal::Uuid),
        32 if is_hexadecimal(bare) => Some(Hexadecimal::Uuid),
        _ if is_hexadecimal(bare) => Some(Hexadecimal::Key),
        _ => None,
    }
}

/// Other numbers that are set in groups by hyphens or dots, as phone numbers are.
const OTHER_GROUPS: [&[usize]; 9] = [
    &[3, 2, 4],    // United States: social security
    &[3, 3, 3, 2], // Brazil: taxpayer
    &[3, 4, 4, 2], // Switzerland: old-age insurance
    &[5, 4],       // United States: postcode
    &[5, 3],       // Brazil: postcode
    &[4, 4, 2],    // United States: codes of drugs (NDC), and the next three
    &[5, 3, 2],
    &[5, 4, 1],
    &[5, 4, 2],
];

/// Tariffs of goods. With a zero in front and hyphens it is rather an area code.
const TARIFFS: [&[usize]; 2] = [&[4, 2, 2], &[4, 2, 2, 2]];

/// Seven to fifteen digits (ITU-T E.164) that begin with `+` or with a zero, or stand in three groups or more; but no date, no number with
/// its thousands apart, and no pair of decimal numbers.
fn is_phone(text: &str, digits: usize) -> bool {
    if !(7..=15).contains(&digits) || !text.ends_with(|sign: char| sign.is_ascii_digit()) {
        return false;
    }
    let international = text.starts_with('+');
    let rest = text.strip_prefix('+').unwrap_or(text);
    let groups: Vec<&str> =
        rest.split(|sign: char| !sign.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let marks = rest.chars().filter(|sign| !sign.is_ascii_digit()).count();
    if !rest.chars().all(|sign| sign.is_ascii_digit() || " -/.()\u{a0}".contains(sign))
        || !rest.starts_with(|sign: char| sign.is_ascii_digit() || sign == '(')
        // Between two groups stand two signs at most, as in `) ` or ` - `.
        || marks > 3 * groups.len()
    {
        return false;
    }
    if international {
        // A country's code never begins with a zero. One dot alone is a decimal number with its sign.
        let first = rest.bytes().find(u8::is_ascii_digit);
        return first.is_some_and(|digit| digit != b'0') && !(marks == 1 && rest.contains('.'));
    }
    // Zeros that only fill a code up to its length are more than one, and 00 stands before a country. An area code may stand in brackets.
    let zeros = rest.trim_start_matches('(').bytes().take_while(|sign| *sign == b'0').count();
    let long_with_zero = matches!(zeros, 1 | 2) && digits >= 9 && !(marks == 1 && rest.contains('.'));
    let area_code = zeros == 1 && !rest.contains('.') && lengths[0] > 1;
    let set = |known: &[&[usize]]| !rest.contains(' ') && known.contains(&lengths.as_slice());
    // Numbers of books and chemicals end in a check digit by itself.
    let other = set(&OTHER_GROUPS) || !area_code && (set(&TARIFFS) || lengths.last() == Some(&1));
    if !long_with_zero && groups.len() < 3 || other || is_date(&groups) {
        return false;
    }
    // 1.234.567 is a number in many countries, and so is 1 234 567; but 612 345 678 rings in Spain.
    let first = if rest.contains('.') { 3 } else { 2 };
    let thousands = zeros == 0
        && lengths[0] <= first
        && lengths[1..].iter().all(|length| *length == 3)
        && rest.chars().all(|sign| sign.is_ascii_digit() || sign == '.' || sign == ' ');
    // Two coordinates, or other numbers side by side.
    let decimals = text.split_whitespace().all(|word| word.matches('.').count() == 1) && text.contains(' ');
    !thousands && !decimals
}

/// Whether a number's groups begin with a date, in any order of day and month.
fn is_date(groups: &[&str]) -> bool {
    let part = |group: &str, most: u32| {
        group.len() <= 2 && group.parse().is_ok_and(|part| (1..=most).contains(&part))
    };
    let day_and_month = |a: &str, b: &str| part(a, 31) && part(b, 12) || part(a, 12) && part(b, 31);
    match *groups {
        [first, second, third, ..] => {
            third.len() == 4 && day_and_month(first, second)
                || first.len() == 4 && day_and_month(second, third)
        }
        _ => false,
    }
}

/// A phone number that is nothing else: it begins with `+`, or its area code stands in brackets or is marked off and begins with a zero,
/// or it has the groups of North America, in which area and exchange begin with 2 to 9.
pub(super) fn is_marked_phone(text: &str) -> bool {
    let north_american = || {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
        let groups =
            text.split(|sign: char| !sign.is_ascii_digit()).map(str::len).filter(|length| *length > 0);
        groups.eq([3, 3, 4]) && digits[0] > b'1' && digits[3] > b'1'
    };
    let marked = || text.starts_with('0') && !text.bytes().all(|sign| sign.is_ascii_digit());
    text.starts_with(['+', '(']) || marked() || north_american()
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Kinds, kinds_of};
    use super::*;

    fn only(text: &str, kind: Kind) {
        let found: Vec<Kind> = kinds_of(text).iter().collect();
        assert_eq!(found, [kind], "{text}");
    }

    #[test]
    fn addresses_of_mail() {
        for text in ["a@b.org", "first.last+tag@sub.mail.example", "jürgen@müller.de", "x_1@a-b.co.uk"] {
            only(text, Kind::Email);
        }
        for text in [
            "a@b",
            "@b.org",
            "a@",
            "a b@c.org",
            "a@b@c.org",
            "a@b..org",
            "a@.org",
            "a@1.2",
            "a@b.o",
            "a@-b.org",
            "@",
        ] {
            assert_eq!(kinds_of(text), Kinds::NONE, "{text}");
        }
        assert!(holds_email("Anna Muster <anna@mail.example>") && holds_email("mailto:a@b.org."));
        assert!(!holds_email("3 @ 5 each") && !holds_email("https://x.org/@name"));
    }

    #[test]
    fn addresses_in_networks() {
        for text in ["https://people.example/1", "HTTP://x", "www.x.org", "ftp://a.b"] {
            only(text, Kind::Url);
        }
        for text in ["https://", "www.", "https://a b", "wwwx"] {
            assert!(!kinds_of(text).has(Kind::Url), "{text}");
        }
        for text in ["192.0.2.1", "2001:db8::1", "::1", "10.0.0.0/8", "2001:db8::/32"] {
            only(text, Kind::IpAddress);
        }
        for text in ["256.0.0.1", "1.2.3", "12:30:45", "2001:db8:::1", "10.0.0.0/129", "1.2.3.4.5"] {
            assert!(!kinds_of(text).has(Kind::IpAddress), "{text}");
        }
        for text in ["00:1B:44:11:3A:B7", "00-1b-44-11-3a-b7", "001b.4411.3ab7"] {
            only(text, Kind::MacAddress);
        }
        for text in ["00:1B:44:11:3A", "00:1B:44:11:3A:G7", "00:1B:44-11:3A:B7", "12:30:45"] {
            assert!(!kinds_of(text).has(Kind::MacAddress), "{text}");
        }
    }

    #[test]
    fn keys_that_programs_draw() {
        for text in [
            "123e4567-e89b-12d3-a456-426614174000",
            "{123E4567-E89B-12D3-A456-426614174000}",
            "urn:uuid:123e4567-e89b-12d3-a456-426614174000",
            "123e4567e89b12d3a456426614174000",
        ] {
            only(text, Kind::Uuid);
        }
        only("da39a3ee5e6b4b0d3255bfef95601890afd80709", Kind::HexKey);
        for text in
            ["123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-42661417400g", "123e4567"]
        {
            assert!(!kinds_of(text).has(Kind::Uuid), "{text}");
        }
    }

    #[test]
    fn numbers_that_ring() {
        for text in [
            "+49 30 5550123",
            "+14155550123",
            "+44 (0)20 7946 0018",
            "(555) 010-0123",
            "(030) 555012",
            "(0171)555012",
            "0305550123",
            "030/5550123",
            "555-010-0123",
            "01 23 45 67 89",
            "06.12.34.56.78",
            "612 34 56 78",
        ] {
            assert!(kinds_of(text).has(Kind::Phone), "{text}");
        }
        for text in [
            "2024-01-02",
            "2024-01-02 10",
            "02.01.2024 10",
            "1.234.567",
            "12 345 678",
            "-1234567.5",
            "+1234567.5",
            "1234567",
            "536-90-4399",
            "12345-6789",
            "01234-5678",
            "390.533.447-05",
            "756.9217.0769.85",
            "0002-8215-01",
            "0101.21.00",
            "7732-18-5",
            "978-3-16-148410-0",
            "-33.8688 151.2093",
            "33.8688 151.2093",
            "+0123456789",
            "1-2-3",
            "0.123456789",
            "1234567890123456",
        ] {
            assert!(!kinds_of(text).has(Kind::Phone), "{text}");
        }
        for text in ["0482-34-56-78", "0171-23-45", "030-555012-3"] {
            assert!(kinds_of(text).has(Kind::Phone), "{text}");
        }
        for text in ["mailto:a@b.org", "<a@b.org>", "a@b.org;"] {
            assert!(kinds_of(text).has(Kind::Email), "{text}");
        }
        assert!(!kinds_of("write to a@b.org").has(Kind::Email));
        assert!(is_marked_phone("+49 30 5550123") && is_marked_phone("415-555-0123"));
        assert!(is_marked_phone("030 5550123") && !is_marked_phone("0305550123"));
        assert!(!is_marked_phone("12-345-678") && !is_marked_phone("123-456-7890"));
    }
}
