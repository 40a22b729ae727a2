//! Mentions that wake two agents in turn are damped, so that they can't talk until the quota or the disk is gone.

use crate::{Party, Subject};

/// How long a mention counts: 15 minutes, in microseconds.
pub const WINDOW_MICROS: i64 = 15 * 60 * 1_000_000;

/// How many mentions of each other two agents get through about one thing within the window.
pub const LIMIT: u32 = 6;

/// How often two agents have mentioned each other about one thing within the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// Mentions that were told.
    pub told: u32,
    /// Mentions that were held back.
    pub held_back: u32,
}

/// What becomes of a mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damped {
    /// The recipient is told.
    Told,
    /// It is kept as read, so that nobody wakes for it.
    HeldBack(Alarm),
}

/// Whether a person is to be told that mentions are held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// This is the first one.
    Raise,
    /// One was told already.
    Raised,
}

/// Whether mentions between these two can go round in a circle: both are agents. People tire by themselves.
pub const fn may_circle(actor: Subject, recipient: Party) -> bool {
    matches!((actor, recipient), (Subject::Agent(_), Party::Agent(_)))
}

/// What becomes of the next mention after this exchange.
pub const fn damp(exchange: Exchange) -> Damped {
    match exchange {
        Exchange { told, .. } if told < LIMIT => Damped::Told,
        Exchange { held_back: 0, .. } => Damped::HeldBack(Alarm::Raise),
        Exchange { .. } => Damped::HeldBack(Alarm::Raised),
    }
}

#[cfg(test)]
mod tests {
    use chorus_ids::{AgentId, UserId};

    use super::*;

    #[test]
    fn of_fifty_mentions_in_turn_few_are_told_and_one_alarm_is_raised() {
        let mut exchange = Exchange::default();
        let mut alarms = 0;
        for _ in 0..50 {
            match damp(exchange) {
                Damped::Told => exchange.told += 1,
                Damped::HeldBack(alarm) => {
                    exchange.held_back += 1;
                    alarms += u32::from(alarm == Alarm::Raise);
                }
            }
        }
        assert_eq!((exchange, alarms), (Exchange { told: LIMIT, held_back: 50 - LIMIT }, 1));
        // As the first ones leave the window, others get through, without another alarm.
        assert_eq!(damp(Exchange { told: LIMIT - 1, held_back: 9 }), Damped::Told);
        assert_eq!(damp(Exchange { told: LIMIT, held_back: 9 }), Damped::HeldBack(Alarm::Raised));
    }

    #[test]
    fn only_agents_go_round_in_circles() {
        let (agent, user) = (AgentId::from_u128(1), UserId::from_u128(2));
        assert!(may_circle(Subject::Agent(agent), Party::Agent(AgentId::from_u128(3))));
        for (actor, recipient) in [
            (Subject::User(user), Party::Agent(agent)),
            (Subject::Agent(agent), Party::User(user)),
            (Subject::Operator, Party::Agent(agent)),
        ] {
            assert!(!may_circle(actor, recipient));
        }
    }
}
