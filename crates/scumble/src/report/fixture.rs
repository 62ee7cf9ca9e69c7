//! A report with everything in it, as a clinic's data steward would get it. Numbers are invented, and
//! consistent with each other where the page compares them.

use super::data::*;
use crate::config::Audience;

fn sizes(sizes: &[(u64, u64)]) -> Vec<SizeCount> {
    sizes.iter().map(|(size, classes)| SizeCount { size: *size, classes: *classes }).collect()
}

/// Prosecutor risk of classes, above one in five or not.
fn risk(sizes: &[SizeCount]) -> RiskFigures {
    let parts: Vec<(u64, u64)> = sizes.iter().map(|s| (s.size, s.size * s.classes)).collect();
    RiskFigures::of_sizes(&parts, crate::config::RiskSpec::default().exposed_above())
}

/// What singles people out, before and after, and who is alone in the population.
fn risk_of_people() -> Risk {
    let contribution = |(column, share, rows): (&str, f64, u64)| crate::risk::ColumnContribution {
        column: column.into(),
        share,
        rows,
    };
    let combination = |(columns, rows): (&[&str], u64)| crate::risk::Combination {
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
        rows,
        minimal: rows / 2,
    };
    let singling = Singling {
        combination_size: 3,
        rows: 21_400,
        sizes: [(1, 12), (2, 1_140), (3, 20_248)]
            .map(|(columns, rows)| crate::risk::SinglingSize { columns, rows, minimal: rows * 2 })
            .to_vec(),
        combinations: [
            (&["postcode"][..], 12),
            (&["age", "postcode"], 1_101),
            (&["age", "postcode", "occupation"], 14_310),
        ]
        .map(combination)
        .to_vec(),
        columns: [
            ("postcode", 0.93, 21_100),
            ("age", 0.81, 20_400),
            ("occupation", 0.62, 17_230),
            ("country", 0.2, 3_100),
            ("sex", 0.11, 2_040),
        ]
        .map(contribution)
        .to_vec(),
        ..Singling::default()
    };
    let population = |uniques| PopulationUniques {
        population: 1_400_000,
        sampling_fraction: 0.032,
        uniques,
        method: crate::risk::uniques::Method::Pitman,
        reason: "usually the best where at most a tenth of the population is in the table".into(),
        estimates: Vec::new(),
    };
    Risk {
        singling_before: Some(singling),
        singling_after: Some(Singling { combination_size: 3, ..Singling::default() }),
        population_before: Some(population(84_120.0)),
        population_after: Some(population(0.0)),
        ..Risk::default()
    }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
}

/// Classes after coarsening: 45,200 rows.
fn sizes_before() -> Vec<SizeCount> {
    sizes(&[
        (1, 940),
        (2, 380),
        (3, 190),
        (4, 120),
        (5, 84),
        (6, 66),
        (7, 70),
        (8, 40),
        (9, 30),
        (12, 95),
        (17, 60),
        (28, 75),
        (41, 60),
        (63, 48),
        (90, 30),
        (140, 22),
        (260, 16),
        (420, 12),
        (780, 8),
        (1_150, 5),
        (2_330, 2),
    ])
}

fn metric(name: &str, title: &str, value: f64, range: Option<(f64, f64)>, better: Better) -> MetricResult {
    MetricResult {
        name: name.into(),
        title: title.into(),
        value: value.into(),
        range,
        better,
        ..MetricResult::default()
    }
}

fn quasi() -> Vec<String> {
    ["age", "sex", "postcode", "occupation", "marital status", "country"].map(String::from).to_vec()
}

fn attacks() -> Vec<AttackResult> {
    vec![
        AttackResult {
            attack: "linkage".into(),
            title: "Linkage with partial knowledge".into(),
            sentence: "Someone who knows all 5 of these facts picks the right row in 8 % of tries.".into(),
            at_risk: Some(AttackFigure {
                name: "people singled out".into(),
                value: 0.0.into(),
                share: true,
                interval: Some((0.0, 0.002)),
            }),
            worst: Some(0.2),
            figures: vec![AttackFigure {
                name: "greatest lift".into(),
                value: Amount::Infinite,
                ..AttackFigure::default()
            }],
            limits: vec!["2,000 of 41,000 people were looked at.".into()],
            run: true,
            ..AttackResult::default()
        },
        AttackResult {
            title: "Intersection".into(),
            sentence: "There is only one release.".into(),
            ..AttackResult::default()
        },
    ]
}

/// Everything present.
pub(super) fn full() -> Report {
    let before = sizes_before();
    let after: Vec<SizeCount> = before.iter().copied().filter(|s| s.size >= 5).collect();
    let rows: u64 = before.iter().map(|s| s.size * s.classes).sum();
    let kept: u64 = after.iter().map(|s| s.size * s.classes).sum();
    Report {
        made: None,
        audience: Audience::Public,
        tables: Vec::new(),
        title: "clinic-2024 release".into(),
        created: Some("12 March 2025, 14:05".into()),
        source: Some("clinic-2024.csv".into()),
        release: Release {
            rows,
            released: rows,
            suppressed: rows - kept,
            suppressed_as: SuppressedAs::Starred,
            classes: after.iter().map(|s| s.classes).sum(),
            smallest_class: Some(5),
            required_class: Some(5),
            loss: Amount::Finite(0.287_34),
            subject: None,
            persons: None,
            checked: true,
            truthful: Some(true),
        },
        models: models(),
        metrics: metrics(rows),
        columns: columns(rows, rows - kept),
        information: Some(information()),
        combinations: Some(combinations()),
        changes: changes(),
        suppression: Some(suppression(rows - kept)),
        risk: Some(Risk {
            before: Some(risk(&sizes(&[(1, 21_870), (2, 4_100), (3, 1_260), (4, 610), (6, 400), (11, 96), (14, 180)]))),
            after: risk(&after),
            ..risk_of_people()
        }),
        attacks: attacks(),
        criteria: None,
        kept: Some(kept_exactly(rows)),
        class_sizes: Some(ClassSizes { before, after, k: Some(5) }),
        households: None,
        histories: None,
        perturbation: None,
        personal: super::data::PersonalData::default(),
        warnings: vec![
            Warning {
                severity: Severity::Note,
                text: "There is no subject column: one row is taken for one person.".into(),
                advice: Some("If a person can have several rows, name the column that tells persons apart.".into()),
            },
            Warning {
                severity: Severity::Warning,
                text: "The hierarchy of age was computed from the data, so its cut points say something about the rows.".into(),
                advice: Some("Give fixed ranges for age to avoid this.".into()),
            },
            Warning {
                severity: Severity::Warning,
                text: "One group (occupation “Armed forces”) lost all its rows.".into(),
                advice: None,
            },
        ],
        run: Some(Run {
            algorithm: AlgorithmNote {
                name: "iack".into(),
                title: "IACK: levels by information about the class".into(),
                paper: Some("J. Li, J. Liu, M. Baig, R. C.-W. Wong: Information based data anonymization for classification utility. Data & Knowledge Engineering 70 (2011).".into()),
                standing: "classic".into(),
                standing_reason: Some("Levels do not depend on k, so a large k suppresses many rows; mondrian usually keeps more of them.".into()),
            },
            parameters: pairs(&[("k", "5"), ("star-policy", "strict"), ("missing", "own-value"), ("metric", "loss"), ("threads", "2")]),
            search: pairs(&[("levels compared", "31"), ("distinct tuples", "28,516")]),
            seconds: [("read", 0.41), ("search", 0.062), ("apply", 0.12), ("verify", 0.23), ("write", 0.18), ("total", 1.02)]
                .map(|(step, time)| (step.into(), time))
                .to_vec(),
            peak_memory_bytes: Some(61_400_000),
            version: "0.1.0".into(),
        }),
        next_step: None,
    }
}

/// A report with as little as possible.
pub(super) fn minimal() -> Report {
    Report {
        title: "table".into(),
        release: Release {
            rows: 12,
            released: 12,
            classes: 2,
            smallest_class: Some(6),
            checked: true,
            ..Release::default()
        },
        models: vec![ModelResult {
            name: "k_anonymity".into(),
            title: "k-anonymity".into(),
            on: vec!["age".into()],
            required: vec![Setting::new("k", 5u64)],
            attained: Some(Setting::new("k", 6u64)),
            claim: Some("5-anonymous on age".into()),
            holds: true,
            ..ModelResult::default()
        }],
        risk: Some(Risk::default()),
        ..Report::default()
    }
}

fn models() -> Vec<ModelResult> {
    let model =
        |name: &str, title: &str, column: Option<&str>, required, attained, claim: &str| ModelResult {
            name: name.into(),
            title: title.into(),
            column: column.map(String::from),
            on: quasi(),
            required,
            attained: Some(attained),
            holds: true,
            claim: Some(claim.into()),
            meaning: Some(format!("What {title} means for a person.")),
            limits: Some(format!("What {title} does not protect against.")),
        };
    vec![
        model(
            "k_anonymity",
            "k-anonymity",
            None,
            vec![Setting::new("k", 5u64)],
            Setting::new("k", 5u64),
            "5-anonymous on age, sex, postcode, occupation and 2 more",
        ),
        model(
            "l_diversity",
            "Entropy l-diversity",
            Some("diagnosis"),
            vec![Setting::new("l", 2.5)],
            Setting::new("l", 2.5864),
            "2.5-diverse for diagnosis (entropy l-diversity)",
        ),
        model(
            "t_closeness",
            "t-closeness (ordered)",
            Some("length of stay"),
            vec![Setting::new("t", 0.3)],
            Setting::new("t", 0.2467),
            "0.3-close for length of stay",
        ),
    ]
}

fn metrics(rows: u64) -> Vec<MetricResult> {
    let n = rows as f64;
    let unit = Some((0.0, 1.0));
    vec![
        metric("loss", "Loss (LM)", 0.287_34, unit, Better::Lower),
        metric("loss_geometric", "Loss, geometric", 0.1642, unit, Better::Lower),
        MetricResult {
            normalised: Some(Amount::Finite(0.0912)),
            ..metric("discernibility", "Discernibility", 0.0912 * n * n, None, Better::Lower)
        },
        MetricResult {
            normalised: Some(Amount::Finite(0.2317)),
            ..metric("classification", "Classification metric", (0.2317 * n).round(), None, Better::Lower)
        },
        metric("c_avg", "Average group size (C_AVG)", 11.83, None, Better::Lower),
        metric("precision", "Precision (Prec)", 0.7411, unit, Better::Higher),
        metric("kl_divergence", "KL divergence, largest of all columns", f64::INFINITY, None, Better::Lower),
        metric(
            "mutual_information_change",
            "Change of mutual information, largest",
            0.019_333,
            None,
            Better::Lower,
        ),
        MetricResult {
            explanation: Some("A metric this page has never heard of brings its own sentence.".into()),
            ..metric("brand_new", "A later metric", 3.5, Some((1.0, 10.0)), Better::Lower)
        },
    ]
}

fn columns(rows: u64, starred: u64) -> Vec<ColumnReport> {
    // A bell with a shoulder, to look like the ages of patients; the release shows four ranges.
    let bell = |age: f64, middle: f64, width: f64| (-((age - middle) / width).powi(2)).exp();
    let ages = (17..=90).map(|age| {
        let share = 0.7 * bell(f64::from(age), 36.0, 17.0) + 0.5 * bell(f64::from(age), 63.0, 14.0);
        let wider = match age {
            ..25 => 551.0,
            25..35 => 993.0,
            35..50 => 880.0,
            _ => 355.0,
        };
        AxisPart { name: age.to_string(), before: (share * 1_100.0) as u64, wider, ..AxisPart::default() }
    });
    let named = |values: &[(&str, u64, f64, f64)]| {
        values
            .iter()
            .map(|(name, before, exact, wider)| AxisPart {
                name: (*name).into(),
                before: *before,
                exact: *exact,
                wider: *wider,
            })
            .collect::<Vec<_>>()
    };
    let column = |name: &str, coarsening, loss: f64, distinct: (u64, u64), axis: Axis| ColumnReport {
        name: name.into(),
        role: ColumnRole::Quasi,
        coarsening,
        hierarchy: Some(HierarchyNote {
            provenance: Provenance::Declared,
            description: Some(format!("file {name}.csv")),
        }),
        loss: loss.into(),
        distinct_before: distinct.0,
        distinct_after: distinct.1,
        axis: Some(axis),
    };
    vec![
        ColumnReport {
            hierarchy: Some(HierarchyNote {
                provenance: Provenance::FromData,
                description: Some("ranges that separate the class (MDLP)".into()),
            }),
            ..column(
                "age",
                Coarsening::Level { level: 2, of: 4 },
                0.214,
                (74, 5),
                Axis {
                    ordered: true,
                    parts: ages.collect(),
                    hidden: starred,
                    without_value: [12, 9],
                    others: 0,
                },
            )
        },
        column(
            "sex",
            Coarsening::None,
            0.059,
            (2, 2),
            Axis {
                parts: named(&[
                    ("female", rows / 2 + 1_204, 22_104.0, 0.0),
                    ("male", rows / 2 - 1_204, 20_012.0, 0.0),
                ]),
                hidden: starred,
                ..Axis::default()
            },
        ),
        column(
            "occupation",
            Coarsening::Level { level: 1, of: 2 },
            0.17,
            (13, 3),
            Axis {
                parts: named(&[
                    ("Nurse", 6_020, 0.0, 5_300.0),
                    ("Teacher", 5_810, 0.0, 5_100.0),
                    ("Machine operator and inspector", 3_999, 0.0, 3_350.0),
                    ("", 21_040, 0.0, 20_000.0),
                ]),
                others: 10,
                hidden: starred,
                ..Axis::default()
            },
        ),
        ColumnReport {
            name: "country".into(),
            coarsening: Coarsening::Suppressed,
            loss: Amount::Finite(1.0),
            distinct_before: 41,
            distinct_after: 0,
            ..ColumnReport::default()
        },
    ]
}

fn information() -> ClassInformation {
    let curve = |column: &str, values: &[f64], chosen| LevelCurve {
        column: column.into(),
        information: values.iter().map(|v| Amount::Finite(*v)).collect(),
        chosen: Some(chosen),
    };
    ClassInformation {
        class: "readmitted".into(),
        curves: vec![
            curve("age", &[0.0182, 0.0311, 0.0528, 0.0340, 0.0], 2),
            curve("sex", &[0.0412, 0.0], 0),
            curve("postcode", &[0.0021, 0.0028, 0.0034, 0.0041, 0.0012, 0.0], 3),
            curve("occupation", &[0.0287, 0.0398, 0.0], 1),
            curve("marital status", &[0.0914, 0.0871, 0.0], 0),
            curve("country", &[0.0018, 0.0021, 0.0], 1),
        ],
    }
}

fn changes() -> Vec<ColumnChange> {
    let change = |column: &str, divergence: f64, change: f64| ColumnChange {
        column: column.into(),
        divergence: divergence.into(),
        finite_divergence: None,
        lost_values: 0,
        information_change: Some(change.into()),
    };
    vec![
        change("age", 0.0208, 0.0031),
        change("sex", 0.0641, 0.0004),
        change("postcode", 0.0377, 0.0082),
        change("occupation", 0.0512, 0.0127),
        ColumnChange {
            finite_divergence: Some(Amount::Finite(0.0833)),
            lost_values: 1,
            ..change("marital status", f64::INFINITY, 0.019_333)
        },
        change("country", 0.0, 0.0),
    ]
}

fn suppression(suppressed: u64) -> Suppression {
    let groups = |column: &str, groups: &[(&str, u64, u64)]| SubgroupColumn {
        column: column.into(),
        groups: groups
            .iter()
            .map(|(value, rows, suppressed)| Subgroup {
                value: (*value).into(),
                rows: *rows,
                suppressed: *suppressed,
            })
            .collect(),
    };
    Suppression {
        reasons: vec![
            ReasonCount { reason: "group smaller than 5".into(), rows: suppressed - 240 },
            ReasonCount {
                reason: "diagnosis too uniform in the group (entropy l-diversity)".into(),
                rows: 228,
            },
            ReasonCount { reason: "added so that suppressed rows are a group themselves".into(), rows: 12 },
        ],
        subgroups: vec![
            groups("sex", &[("female", 23_804, 1_590), ("male", 21_396, 1_160)]),
            groups(
                "occupation",
                &[
                    ("Nurse", 6_020, 190),
                    ("Armed forces", 14, 14),
                    ("Private house service", 140, 61),
                    ("Fisher", 640, 130),
                    ("Teacher", 5_810, 240),
                    ("Clerk", 5_604, 260),
                    ("Engineer", 5_002, 210),
                ],
            ),
            groups(
                "country",
                &[
                    ("Germany", 39_100, 1_210),
                    ("Turkey", 1_900, 402),
                    ("Poland", 1_500, 281),
                    ("Italy", 700, 195),
                    ("Laos", 18, 17),
                ],
            ),
            groups(
                "age group",
                &[("under 30", 8_900, 480), ("30 to 60", 24_100, 1_240), ("over 60", 12_200, 1_030)],
            ),
        ],
    }
}

fn kept_exactly(rows: u64) -> KeptExactly {
    let column = |name: &str, role, distinct, unique_rows| KeptColumn {
        name: name.into(),
        role,
        uniqueness: Uniqueness { rows, distinct, unique_rows, few_rows: unique_rows },
    };
    KeptExactly {
        columns: vec![
            column("readmitted", ColumnRole::Class, 2, 0),
            column("diagnosis", ColumnRole::Sensitive, 61, 2),
            column("length of stay", ColumnRole::Sensitive, 44, 0),
            column("ward", ColumnRole::Other, 19, 0),
        ],
        together: Some(Uniqueness { rows, distinct: 9_240, unique_rows: 3_105, few_rows: 3_105 }),
        open: Some(Uniqueness { rows, distinct: 9_240, unique_rows: 3_105, few_rows: 3_105 }),
        open_with_quasi: Some(Uniqueness { rows, distinct: 21_000, unique_rows: 12_040, few_rows: 12_040 }),
        homogeneous: vec![
            Homogeneity {
                column: "diagnosis".into(),
                classes: 0,
                classes_in_all: 723,
                rows: 0,
                rows_in_all: 42_116,
            },
            Homogeneity {
                column: "length of stay".into(),
                classes: 4,
                classes_in_all: 723,
                rows: 31,
                rows_in_all: 42_116,
            },
        ],
        guesses: vec![
            GuessByClass {
                column: "diagnosis".into(),
                rows: 42_116,
                right: 9_870,
                right_without: 6_120,
                ..Default::default()
            },
            GuessByClass {
                column: "length of stay".into(),
                rows: 42_116,
                right: 11_400,
                right_without: 9_030,
                ..Default::default()
            },
        ],
    }
}

/// Two columns with three levels each; combinations that are coarse enough can be published.
fn combinations() -> Combinations {
    let node = |number: u32| {
        let levels = vec![number / 3, number % 3];
        let suppressed = (number >= 3).then(|| u64::from(8 - number) * 31);
        Combination { levels, suppressed, chosen: number == 4 }
    };
    Combinations {
        columns: vec!["age".into(), "sex".into()],
        nodes: (0..9).map(node).collect(),
        checked: Some(5),
    }
}
