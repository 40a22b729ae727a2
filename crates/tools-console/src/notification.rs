//! A person's notifications: putting them away, and which are wanted.

use async_trait::async_trait;
use chorus_app::{
    Call,
    notification::{Preferences, archive, set_preferences},
};
use chorus_dispatch::{Access, At, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::{Code, Kind, Refusal, notification::Preference, refusal::Problem};
use chorus_ids::{NotificationId, Uuid};
use chorus_store::{Outcome, Result, Tx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Puts a notification away.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Archive {
    /// One of your notifications.
    #[schemars(with = "Uuid")]
    notification_uuid: NotificationId,
}

/// That it was done.
#[derive(Serialize, JsonSchema)]
struct Done {
    /// True.
    success: bool,
}

#[async_trait]
impl WriteTool for Archive {
    type Output = Done;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Done>> {
        Ok(archive(call, tx, self.notification_uuid).await?.map(|()| Done { success: true }))
    }
}

/// Says which notifications are wanted.
#[derive(Deserialize, JsonSchema)]
struct SetPreferences {
    /// Those that are wanted; every other one is turned off.
    wanted: Vec<String>,
}

/// Which notifications are wanted now.
#[derive(Serialize, JsonSchema)]
struct Wanted {
    /// By name.
    wanted: Vec<&'static str>,
}

impl SetPreferences {
    /// Every preference, on or off.
    fn all(&self) -> Result<Preferences, Refusal> {
        let unknown = |(at, name): (usize, &String)| {
            let known = Preference::parse(name).is_some() || name.is_empty();
            (!known).then(|| Problem::new(format!("wanted[{at}]"), "is no kind of notification that can be turned off"))
        };
        Refusal::unless_fine(self.wanted.iter().enumerate().filter_map(unknown).collect())?;
        let is_wanted = |preference: Preference| self.wanted.iter().any(|name| name == preference.as_str());
        Ok(Preference::ALL.into_iter().map(|preference| (preference, is_wanted(preference))).collect())
    }
}

#[async_trait]
impl WriteTool for SetPreferences {
    type Output = Wanted;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Wanted>> {
        let outcome = set_preferences(call, tx, self.all()?).await?;
        Ok(outcome.map(|preferences| Wanted {
            wanted: preferences.into_iter().filter(|(_, on)| *on).map(|(preference, _)| preference.as_str()).collect(),
        }))
    }
}

/// The rows of this file.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "console_archive_notification",
        family: "notification",
        title: "Put a notification away",
        description: "Put one of your notifications away: it is no longer listed nor counted.",
        requirement: Requirement::PUBLIC,
        access: Access::company(
            "it is looked up under the caller's name, so that everybody else's are missing",
            &[At::own("notificationUuid", Kind::Notification)],
        ),
        hints: Hints::ENDS,
        refuses: &[(Code::NotFound, "it is not one of the caller's notifications")],
        example: r#"{"notificationUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000a"}"#,
        run: write::<Archive>(),
    },
    Tool {
        name: "console_set_notification_preferences",
        family: "notification",
        title: "Choose notifications",
        description: "Say which kinds of notifications you want; those that are not named are turned off.",
        requirement: Requirement::PUBLIC,
        access: Access::company("they are the caller's own", &[]),
        hints: Hints::SETS,
        refuses: &[],
        example: r#"{"wanted": ["mentioned", "taskAssigned"]}"#,
        run: write::<SetPreferences>(),
    },
];
