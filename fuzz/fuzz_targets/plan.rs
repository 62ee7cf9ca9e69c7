//! Reads any text as a plan: the result is an error, or a plan that stays the same when it is written and read back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scumble::config::Plan;

fuzz_target!(|text: &str| {
    match Plan::from_toml(text, "fuzz.toml") {
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("fuzz.toml"), "a message names its file: {message}");
        }
        Ok(plan) => {
            let written = plan.to_toml().expect("a plan can be written");
            let again = Plan::from_toml(&written, "again.toml").expect("what was written is read");
            assert_eq!(plan, again);
            let _ = plan.ready();
        }
    }
});
