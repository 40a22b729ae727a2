//! How often a client may guess. Nobody is locked out by what somebody else does: attempts are counted for the client
//! alone, and for the client and the account that it tries together; an account as such is never counted.

use std::{
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
    time::Duration,
};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, MonotonicClock},
    middleware::NoOpMiddleware,
    state::keyed::HashMapStateStore,
};

/// What one client may try at one account: this often at once, and then once in this time.
const AT_AN_ACCOUNT: (u32, Duration) = (10, Duration::from_secs(30));

/// What one client may try in all. An office behind one address has to get in in the morning.
const IN_ALL: (u32, Duration) = (100, Duration::from_secs(2));

/// How many counters are kept before those that say nothing any more are dropped.
const MAX_COUNTERS: usize = 10_000;

type Counters<K, C> = RateLimiter<K, HashMapStateStore<K>, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// Counts attempts, in this process.
pub(super) struct Throttle<C: Clock = MonotonicClock> {
    clients: Counters<IpAddr, C>,
    accounts: Counters<(IpAddr, String), C>,
    clock: C,
}

impl Throttle {
    /// Nobody has tried anything yet.
    pub(super) fn new() -> Self {
        Self::with_clock(MonotonicClock)
    }
}

impl<C: Clock + Clone> Throttle<C> {
    fn with_clock(clock: C) -> Self {
        Self {
            clients: RateLimiter::hashmap_with_clock(quota(IN_ALL), clock.clone()),
            accounts: RateLimiter::hashmap_with_clock(quota(AT_AN_ACCOUNT), clock.clone()),
            clock,
        }
    }

    /// Counts an attempt of a client.
    ///
    /// # Errors
    /// It has tried too often; how long it has to wait.
    pub(super) fn client(&self, client: IpAddr) -> Result<(), Duration> {
        if self.clients.len() >= MAX_COUNTERS {
            self.clients.retain_recent();
        }
        let counted = self.clients.check_key(&network(client));
        counted.map_err(|until| until.wait_time_from(self.clock.now()))
    }

    /// Counts an attempt of a client at an account, which counts for the client too.
    ///
    /// # Errors
    /// As [`Throttle::client`].
    pub(super) fn account(&self, client: IpAddr, account: &str) -> Result<(), Duration> {
        // First the client: what it may do in all bounds the number of counters that it can make.
        self.client(client)?;
        if self.accounts.len() >= MAX_COUNTERS {
            self.accounts.retain_recent();
        }
        let counted = self.accounts.check_key(&(network(client), account.to_owned()));
        counted.map_err(|until| until.wait_time_from(self.clock.now()))
    }
}

fn quota((at_once, then_every): (u32, Duration)) -> Quota {
    // Neither is zero.
    let at_once = NonZeroU32::new(at_once).unwrap_or(NonZeroU32::MIN);
    Quota::with_period(then_every).unwrap_or(Quota::per_minute(at_once)).allow_burst(at_once)
}

/// Whom an address stands for. With IPv6 one customer has at least a /64, and could try from each address in it.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
    }
}

#[cfg(test)]
mod tests {
    use governor::clock::FakeRelativeClock;

    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED))
    }

    fn throttle() -> (Throttle<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        (Throttle::with_clock(clock.clone()), clock)
    }

    /// How many attempts are let through until the first that is not.
    fn attempts(throttle: &Throttle<FakeRelativeClock>, client: &str, account: &str) -> usize {
        (0..1_000).take_while(|_| throttle.account(address(client), account).is_ok()).count()
    }

    #[test]
    fn a_client_that_guesses_waits_and_is_told_how_long() {
        let (throttle, clock) = throttle();
        assert_eq!(attempts(&throttle, "192.0.2.1", "ada"), 10);
        let wait = throttle.account(address("192.0.2.1"), "ada").err().unwrap_or_default();
        assert!(wait > Duration::from_secs(29) && wait <= Duration::from_secs(30), "{wait:?}");
        clock.advance(wait);
        assert_eq!(attempts(&throttle, "192.0.2.1", "ada"), 1);
    }

    #[test]
    fn guessing_at_an_account_keeps_nobody_else_out() {
        let (throttle, _) = throttle();
        assert_eq!(attempts(&throttle, "192.0.2.1", "ada"), 10);
        assert_eq!(attempts(&throttle, "192.0.2.2", "ada"), 10, "ada herself, from elsewhere");
        assert_eq!(attempts(&throttle, "192.0.2.1", "bo"), 10, "bo, from the same office");
    }

    #[test]
    fn a_client_that_tries_many_accounts_waits_as_well() {
        let (throttle, clock) = throttle();
        let tried = (0..1_000).take_while(|n| throttle.account(address("192.0.2.1"), &n.to_string()).is_ok()).count();
        assert_eq!(tried, 100);
        assert!(throttle.client(address("192.0.2.1")).is_err());
        assert!(throttle.client(address("192.0.2.2")).is_ok());
        clock.advance(Duration::from_secs(2));
        assert!(throttle.account(address("192.0.2.1"), "new").is_ok());
        assert!(throttle.account(address("192.0.2.1"), "newer").is_err());
    }

    #[test]
    fn addresses_of_one_customer_count_as_one_client() {
        assert_eq!(network(address("2001:db8:1:2:3:4:5:6")), address("2001:db8:1:2::"));
        assert_ne!(network(address("2001:db8:1:2::1")), network(address("2001:db8:1:3::1")));
        assert_eq!(network(address("::ffff:192.0.2.1")), address("192.0.2.1"));
        let (throttle, _) = throttle();
        assert_eq!(attempts(&throttle, "2001:db8::1", "ada"), 10);
        assert_eq!(attempts(&throttle, "2001:db8::2", "ada"), 0);
    }

    #[test]
    fn counters_do_not_grow_for_ever() {
        let (throttle, clock) = throttle();
        let client = |n: u32| IpAddr::V4(n.into());
        for n in 0..MAX_COUNTERS as u32 {
            assert!(throttle.account(client(n), "ada").is_ok());
        }
        clock.advance(Duration::from_secs(3_600));
        assert!(throttle.account(client(u32::MAX), "ada").is_ok());
        assert_eq!((throttle.clients.len(), throttle.accounts.len()), (1, 1));
    }
}
