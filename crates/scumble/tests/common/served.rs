//! A table, and for each algorithm a plan that the algorithm supports.

use scumble::config::{Parameters, Plan};
use scumble::registry::{ALGORITHMS, Entry};
use scumble::search::algorithms::{Algorithm, BuildAlgorithm};

/// The names of the algorithms that, with their defaults, say this of themselves.
pub(crate) fn serving(serves: impl Fn(&dyn Algorithm) -> bool) -> Vec<&'static str> {
    let serves = |entry: &&Entry<BuildAlgorithm>| {
        (entry.build)(&Parameters::default()).is_ok_and(|algorithm| serves(&*algorithm))
    };
    ALGORITHMS.iter().filter(serves).map(|entry| entry.name).collect()
}

/// Two numbers, a town, an illness, and a job that the shift decides.
pub(crate) fn rows() -> String {
    let line = |row: usize| {
        let (age, pay, town, ill) = (20 + row * 7 % 40, 10 * (row * row % 11), row % 3, row % 4);
        let (ill, job, shift) =
            (["flu", "cold", "gout", "hiv"][ill], ["x", "y"][row % 2], ["a", "b"][row % 2]);
        format!("{age},{pay},t{town},{ill},{job},{shift}\n")
    };
    format!("age,pay,town,ill,job,shift\n{}", (0..60).map(line).collect::<String>())
}

/// A plan that the algorithm supports.
pub(crate) fn plan(algorithm: &str) -> Plan {
    let several = ["reduct", "reduct_ensemble", "dmpd"].contains(&algorithm);
    let (town, pay, ill, shift) = match algorithm {
        "mdav" => ("drop", "quasi", "sensitive", "drop"),
        "permutation" => ("quasi", "sensitive", "drop", "drop"),
        _ if several => ("quasi", "quasi", "drop", "quasi"),
        _ => ("quasi", "quasi", "sensitive", "drop"),
    };
    let models = match algorithm {
        "iacc" => "[[privacy]]\nmodel = \"k_anonymity\"\nk = 1\n",
        "anatomy" => "[[privacy]]\nmodel = \"l_diversity\"\nl = 2\n",
        "permutation" => "[[privacy]]\nmodel = \"k_e\"\nk = 2\ne = 5\n",
        "nhaa" | "nsvdist" => "[[privacy]]\nmodel = \"l_diversity\"\nvariant = \"frequency\"\nl = 2\n",
        "k_concealment" | "reduct" | "reduct_ensemble" | "dmpd" => {
            "[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n"
        }
        _ => "[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n[[privacy]]\nmodel = \"l_diversity\"\nl = 2\n",
    };
    let own = match algorithm {
        "nsvdist" => "audit = \"report\"\n",
        "genetic" => "population = 20\niterations = 100\n",
        "k_optimize" => "steps = 200\n",
        "iacc" => "delta_d = 1000\ndelta_c = 1000\nsuppression = 1\n",
        "iack" | "tdr" | "tds" | "pais" | "kactus" | "infogain_mondrian" => "suppression = 1\n",
        _ => "",
    };
    let text = format!(
        "input = \"in.csv\"\noutput = \"out.csv\"\naccept_attribute_disclosure = true\n[columns]\nage = {{ role = \"quasi\" }}\n\
         pay = {{ role = \"{pay}\" }}\ntown = {{ role = \"{town}\" }}\nill = {{ role = \"{ill}\" }}\n\
         job = {{ role = \"class\" }}\nshift = {{ role = \"{shift}\" }}\n{models}[algorithm]\nname = \"{algorithm}\"\n{own}"
    );
    Plan::from_toml(&text, algorithm).expect("a plan")
}

/// People, and a table about them that was published before: together with it classes of two rows are too small.
pub(crate) const PEOPLE: &str = "age,zip,disease\n30,z1,hiv\n30,z2,flu\n30,z2,flu\n40,z1,cancer\n40,z2,asthma\n50,z1,cancer\n\
                                 50,z2,asthma\n60,z1,flu\n60,z2,asthma\n60,z1,hiv\n";
pub(crate) const EARLIER: &str = "zip,disease\nz1,cancer\nz1,cancer\nz1,flu\nz1,hiv\nz1,hiv\nz2,asthma\nz2,asthma\nz2,asthma\n\
                                  z2,flu\nz2,flu\n";

/// A plan for a release of these people together with `earlier.csv`; k = 3 is more than it allows.
pub(crate) fn plan_beside(k: u32) -> Plan {
    let text = format!(
        "input = \"in.csv\"\noutput = \"out.csv\"\nreport = \"\"\n[columns]\nage = {{ role = \"quasi\" }}\n\
         zip = {{ role = \"quasi\" }}\ndisease = {{ role = \"sensitive\" }}\n[[table]]\nfile = \"earlier.csv\"\nquasi = [\"zip\"]\n\
         [[privacy]]\nmodel = \"k_uncertainty\"\nk = {k}\n"
    );
    Plan::from_toml(&text, "plan").expect("a plan")
}
