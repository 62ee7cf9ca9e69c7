use super::*;

#[test]
fn intervals_meet_at_round_numbers() {
    let numbers = Measure { kind: Kind::Integer, scale: 0 };
    assert_eq!(numbers.roundest_between(4_711, 5_093), 5_000);
    assert_eq!(numbers.roundest_between(4_711, 4_713), 4_711, "no room but between the two");
    assert_eq!(numbers.roundest_between(4_711, 4_719), 4_713);
    assert_eq!(numbers.roundest_between(-13, 9), 0);
    let dates = Measure { kind: Kind::Date(DateFormat::YearMonthDay), scale: 0 };
    let between = |a: &str, b: &str| {
        let day = |text: &str| dates.number(text).expect("a date");
        dates.text(dates.roundest_between(day(a), day(b)))
    };
    assert_eq!(between("2023-11-05", "2024-02-20"), "2023-12-31");
    assert_eq!(between("2024-01-05", "2024-02-20"), "2024-01-31");
    assert_eq!(between("2024-01-05", "2024-01-20"), "2024-01-07");
    assert_eq!(between("2024-01-05", "2024-01-06"), "2024-01-05");
}

fn infer(texts: &[&str]) -> Inference {
    Kind::infer(texts.iter().copied())
}

#[test]
fn kinds_are_inferred() {
    assert_eq!(infer(&["1", "-20", "0"]), Inference::Clear(Kind::Integer));
    assert_eq!(infer(&["1", "2.50", ".4", "1e3"]), Inference::Clear(Kind::Decimal));
    assert_eq!(infer(&[" 1", "-20 ", "0"]), Inference::Clear(Kind::Integer), "blanks mean nothing");
    assert_eq!(infer(&["1,500 ", "20"]), Inference::Clear(Kind::Text), "nor do they tell places");
    assert_eq!(infer(&["1,5", "20"]), Inference::Clear(Kind::DecimalComma));
    assert_eq!(infer(&["1,500", "20"]), Inference::Clear(Kind::Text), "may be thousands");
    assert_eq!(infer(&["01067", "10115"]), Inference::Clear(Kind::Text), "codes with leading zeros");
    assert_eq!(infer(&["2020-02-29"]), Inference::Clear(Kind::Date(DateFormat::YearMonthDay)));
    assert_eq!(infer(&["2021-02-29"]), Inference::Clear(Kind::Text), "no such day");
    assert_eq!(infer(&["03/04/2020", "12/11/2021"]), Inference::AmbiguousDate);
    assert_eq!(infer(&["03/04/2020", "13/11/2021"]), Inference::Clear(Kind::Date(DateFormat::DayMonthYear)));
    assert_eq!(infer(&["03/14/2020"]), Inference::Clear(Kind::Date(DateFormat::MonthDayYear)));
    assert_eq!(infer(&["a", "1"]), Inference::Clear(Kind::Text));
    assert_eq!(infer(&[]), Inference::Clear(Kind::Text));
    assert_eq!(infer(&["NaN", "1.0"]), Inference::Clear(Kind::Text));
}

#[test]
fn numbers_are_exact() {
    let measure = Measure::of(Kind::Decimal, ["1.25", "0.1", "-3"].into_iter());
    assert_eq!(measure.scale, 2);
    assert_eq!(measure.number("0.1"), Some(10));
    assert_eq!(measure.number("-3"), Some(-300));
    assert_eq!(measure.number("0.001"), None, "finer than the column");
    assert_eq!(measure.text(10), "0.1");
    assert_eq!(measure.text(-305), "-3.05");
    assert_eq!(measure.interval(10, 125), "[0.1,1.25]");
    let comma = Measure::of(Kind::DecimalComma, ["1,5"].into_iter());
    assert_eq!(comma.interval(15, 25), "[1,5;2,5]");
}

#[test]
fn timestamps_and_times() {
    let zoned = Inference::Clear(Kind::Timestamp { zone: true });
    assert_eq!(infer(&["2024-03-09T10:15:00Z", "2024-03-09 11:15+01:00"]), zoned);
    let plain = Inference::Clear(Kind::Timestamp { zone: false });
    assert_eq!(infer(&["2024-03-09T10:15:00", "2024-03-09 11:15:30.5"]), plain);
    assert_eq!(infer(&["10:15", "23:59:59"]), Inference::Clear(Kind::Time));
    for mixed in
        [&["2024-03-09T10:15:00", "2024-03-09T10:15:00Z"][..], &["10:15", "2024-03-09T10:15"], &["25:00"]]
    {
        assert_eq!(infer(mixed), Inference::Clear(Kind::Text), "{mixed:?}");
    }
    let kind = Kind::Timestamp { zone: true };
    let measure = Measure::of(kind, ["2024-03-09T10:15:00.25Z", "2024-03-09T11:15+01:00"].into_iter());
    assert_eq!(measure.scale, 2);
    let number = |text: &str| measure.number(text).expect(text);
    assert_eq!(number("2024-03-09T10:15Z"), number("2024-03-09T11:15+01:00"));
    assert_eq!(number("2024-03-09T10:15:00.25Z") - number("2024-03-09T10:15Z"), 25);
    assert_eq!(measure.number("2024-03-09T10:15:00.125Z"), None, "finer than the column");
    let end = measure.roundest_between(number("2024-03-09T10:15Z"), number("2024-05-02T00:00Z"));
    assert_eq!(
        measure.interval(number("2024-01-01T00:00Z"), end),
        "[2024-01-01T00:00:00Z,2024-04-30T23:59:59.99Z]"
    );
    assert_eq!(measure.decimal(end), measure.exact("2024-04-30T23:59:59.99Z").expect("an instant"));
}

#[test]
fn doubles_and_long_decimals_are_numbers() {
    for texts in [
        &["0.0019336161475366333", "1.9336e-3", "12"][..],
        &["1e300", "-2.5E-300", "0", "0.1"],
        &["1.7976931348623157e+308", "5e-324"],
        &["12345678901234567890123456789012345678", "-1"],
        &["0.12345678901234567890123456789012345678", "0.99"],
        &["1.2345678901234567890123456789012345678"],
    ] {
        assert!(!matches!(infer(texts), Inference::Clear(Kind::Text)), "{texts:?}");
        let Inference::Clear(kind) = infer(texts) else { panic!("{texts:?}") };
        let measure = Measure::of(kind, texts.iter().copied());
        for text in texts {
            let number = measure.number(text).expect(text);
            assert_eq!(Some(measure.decimal(number)), measure.exact(text), "{text}");
            assert_eq!(measure.number(&measure.text(number)), Some(number), "{text}");
        }
    }
    assert_eq!(infer(&["1,93E-03", "2,5"]), Inference::Clear(Kind::DecimalComma));
    assert_eq!(infer(&[&"1".repeat(39)]), Inference::Clear(Kind::Text), "a code");
    assert_eq!(infer(&["inf", "1.0"]), Inference::Clear(Kind::Text));
    // Together they need more than 38 digits, and each more than 35.
    assert_eq!(infer(&[&"1".repeat(38), "0.1"]), Inference::Clear(Kind::Text));
    assert_eq!(infer(&["0.12345678901234567890123456789012345678", "-0.99"]), Inference::Clear(Kind::Text));
}

#[test]
fn numbers_of_any_sizes_have_an_order_and_intervals() {
    let texts = ["0", "3e-300", "2.25e-12", "0.5", "7"];
    let measure = Measure::of(Kind::Decimal, texts.into_iter());
    assert_eq!(measure.kind, Kind::Wide { comma: false });
    let numbers: Vec<i128> = texts.iter().map(|text| measure.number(text).expect(text)).collect();
    assert!(numbers.is_sorted());
    let end = measure.roundest_between(numbers[2], numbers[3]);
    assert_eq!(measure.text(end + 1), "0.4");
    assert_eq!(measure.interval(numbers[1], end), "[3e-300,0.4)");
    assert!((measure.float(numbers[2]) - 2.25e-12).abs() < 1e-27);
    let long = Measure::of(Kind::Decimal, ["0.1234567891", "0.9876543219"].into_iter());
    let cut = long.roundest_between(1_234_567_891, 9_876_543_219);
    assert_eq!(
        (long.interval(0, cut), long.interval(cut + 1, 9_999_999_999)),
        ("[0,0.9)".to_owned(), "[0.9,1)".to_owned())
    );
}

/// Ordinary columns keep the unit that they had, and a column is as fine as its finest text.
#[test]
fn the_unit_is_the_finest_that_is_written() {
    let scale = |texts: &[&str]| Measure::of(Kind::Decimal, texts.iter().copied()).scale;
    assert_eq!((scale(&["17.50", "2"]), scale(&["1e3"]), scale(&["1.5e-3"])), (2, 0, 4));
    let zeros = format!("0.1{}", "0".repeat(60));
    assert_eq!(scale(&[&zeros, "100"]), 1);
}
