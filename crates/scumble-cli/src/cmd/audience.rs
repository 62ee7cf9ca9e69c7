//! `--for`: who will read a release.

use scumble::config::{Audience, Plan};

/// Who will read the release.
#[derive(clap::Args)]
#[command(next_help_heading = "Privacy")]
pub(super) struct AudienceFlag {
    /// Who will read the release: public (nobody may be found with a chance above 0.09), researchers (0.2) or inside (1/3). If not given,
    /// the plan's [risk] audience, else public
    #[arg(long = "for", value_name = "WHO", value_parser = parse)]
    audience: Option<Audience>,
}

fn parse(name: &str) -> Result<Audience, String> {
    let known = Audience::ALL.map(Audience::name);
    Audience::ALL.into_iter().find(|audience| audience.name() == name).ok_or_else(|| {
        let near = scumble::error::did_you_mean(name, known);
        format!("there are {}{near}", known.join(", "))
    })
}

impl AudienceFlag {
    /// Returns the audience that the flag names, if any.
    pub(super) fn given(&self) -> Option<Audience> {
        self.audience
    }

    /// Sets in a plan who will read the release.
    pub(super) fn apply(&self, plan: &mut Plan) {
        plan.risk.audience = self.audience.unwrap_or(plan.risk.audience);
    }
}
