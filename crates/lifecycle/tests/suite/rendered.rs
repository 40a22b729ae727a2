//! The tables as a page of the documentation and as a list of moves: both are
//! committed, so that a change of a lifecycle is a change that can be read.

use std::{
    env,
    fmt::{Display, Write},
    fs,
    path::Path,
};

use chorus_lifecycle::{
    Lifecycle,
    criterion::{MARK, Mark, MarkEvent},
    elaboration::{ROUND, RoundEvent, RoundStatus},
    idea::{IDEA, IdeaEvent, IdeaState},
    notification::{NOTIFICATION, NotificationEvent, NotificationState},
    proposal::{PROPOSAL, ProposalEvent, ProposalStatus},
    session::{CHECKIN, CheckinEvent, CheckinStatus, SESSION, SessionEvent, SessionStatus},
    task::{TASK, TaskEvent, TaskStatus},
};

struct Rendering {
    page: String,
    moves: String,
}

impl Rendering {
    fn add<S, E>(&mut self, table: &Lifecycle<S, E>, statuses: &[S], events: &[E], introduction: &str)
    where
        S: Copy + PartialEq + Display,
        E: Copy + PartialEq + Display,
    {
        let mut chars = table.name.chars();
        let title: String = chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
        write!(self.page, "\n## {title}\n\n{introduction} It begins as `{}`.\n\n| from |", table.initial).unwrap();
        for event in events {
            write!(self.page, " {event} |").unwrap();
        }
        self.page += "\n| --- |";
        self.page += &" --- |".repeat(events.len());
        for &from in statuses {
            write!(self.page, "\n| **{from}** |").unwrap();
            for &event in events {
                match table.apply(from, event) {
                    Ok(to) => write!(self.page, " {to} |").unwrap(),
                    Err(_) => self.page += " |",
                }
            }
        }
        self.page += "\n";
        for (from, event, to) in table.moves {
            writeln!(self.moves, "{}: {from} --{event}--> {to}", table.name).unwrap();
        }
    }
}

fn render() -> Rendering {
    let mut r = Rendering {
        page: String::from(
            "<!-- Generated from crates/lifecycle by its tests; rewrite with UPDATE=1. -->\n# Lifecycles\n\n\
             Each table says where an event leads from each status. An empty cell is a move that is refused. \
             Who may make\nan event happen, and what else follows from it, is not part of the tables.\n",
        ),
        moves: String::new(),
    };
    let idea = "An idea has two statuses that move together: its own and, after the comma, that of its elaboration. \
                Combinations that no event leads to occur in imported rows.";
    r.add(&IDEA, &IdeaState::ALL, &IdeaEvent::ALL, idea);
    let round = "A round of questions about an idea is answered when every required question is.";
    r.add(&ROUND, &RoundStatus::ALL, &RoundEvent::ALL, round);
    let proposal = "A proposal holds drafts of documents and tasks, which come to be when it is approved.";
    r.add(&PROPOSAL, &ProposalStatus::ALL, &ProposalEvent::ALL, proposal);
    let task = "A task is worked on by its assignee and verified by somebody else.";
    r.add(&TASK, &TaskStatus::ALL, &TaskEvent::ALL, task);
    let mark = "Each criterion of a task has two marks that move like this: the assignee's and the verifier's.";
    r.add(&MARK, &Mark::ALL, &MarkEvent::ALL, mark);
    let session = "A session is a named worker of an agent.";
    r.add(&SESSION, &SessionStatus::ALL, &SessionEvent::ALL, session);
    let checkin = "A check-in says that a session is at a task.";
    r.add(&CHECKIN, &CheckinStatus::ALL, &CheckinEvent::ALL, checkin);
    let notification = "A notification is read and put away by its recipient, and never taken back.";
    r.add(&NOTIFICATION, &NotificationState::ALL, &NotificationEvent::ALL, notification);
    r
}

#[test]
fn the_documentation_page_is_current() {
    compare("../../docs/lifecycles.md", &render().page);
}

#[test]
fn the_list_of_moves_is_the_committed_one() {
    compare("tests/golden/moves.txt", &render().moves);
}

/// Fails when the committed file differs from `rendered`; `UPDATE=1` rewrites it.
fn compare(file: &str, rendered: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, rendered).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(committed, rendered, "{file} is stale; run the tests with UPDATE=1 and review the difference");
}
