//! `GET /groups/{group}/settings`: what a group is called, who its members are, who sees it.

use std::collections::BTreeSet;

use askama::Template;
use chorus_app::{
    group::{self, GroupDetail, Roster},
    member,
};
use chorus_domain::Code;
use chorus_ids::GroupId;
use chorus_visibility::{Role, Visibility};
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Section},
    pages::people::{Choice, MemberLine},
    paging::{self, Paging},
    texts::Value,
};

#[derive(Template)]
#[template(path = "groups/settings.html")]
struct Settings {
    f: Frame,
    detail: GroupDetail,
    /// The explicit members, for those who are one.
    members: Option<Vec<MemberLine>>,
    member_total: u64,
    paging: Paging,
    /// Who could be added, for administrators.
    choice: Option<Choice>,
}

impl Settings {
    fn is_private(&self) -> bool {
        self.detail.group.visibility == Visibility::Private
    }

    fn roles(&self) -> [&'static str; 3] {
        Role::ALL.map(Role::as_str)
    }
}

/// `GET /groups/{group}/settings`.
pub(crate) async fn settings(desk: &Desk) -> Result<Answer, Fault> {
    let id: GroupId = desk.id("group")?;
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let mut detail = match found(group::read(call, reads, id, Roster::Wanted).await) {
        // Who is no member sees the group, but not who is.
        Err(Fault::Refused(refusal)) if refusal.code == Code::Forbidden => {
            found(group::read(call, reads, id, Roster::Omitted).await)?
        }
        read => read?,
    };
    let rows = detail.members.take();
    let own: BTreeSet<_> = rows.iter().flatten().map(|(member, _)| member.user).collect();
    let choice = match detail.access.can_admin {
        true => Some(Choice::of(found(member::people(call, reads).await)?, &own, &desk.query)),
        false => None,
    };
    let member_total = u64::try_from(own.len()).unwrap_or_default();
    let skipped = (paging::number(&desk.query) - 1) as usize * paging::ROWS as usize;
    let members = rows.map(|rows| {
        let mut lines: Vec<MemberLine> = rows
            .into_iter()
            .map(|(member, name)| MemberLine {
                user: member.user,
                name,
                email: None,
                role: member.role.as_str(),
                own: Some(member.role.as_str()),
                from: "group",
            })
            .collect();
        lines.sort_by_cached_key(|line| line.name.to_lowercase());
        lines.into_iter().skip(skipped).take(paging::ROWS as usize).collect()
    });
    let paging = Paging::new(desk, member_total);
    let title = desk.say_with("group-settings-of", "name", Value::Text(&detail.group.name));
    let f = desk.frame(&reading, title, Section::Projects);
    answer::page(StatusCode::OK, &Settings { f, detail, members, member_total, paging, choice })
}
