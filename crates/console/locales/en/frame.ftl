# Around every page.
skip-to-content = Skip to content
main-navigation = Main
nav-home = Home
nav-projects = Projects
nav-agents = Agents
nav-notifications = Notifications
nav-settings = Settings
search = Search
search-placeholder = Search everything
account-menu = Account of { $name }
sign-out = Sign out
language = Language
theme = Theme
theme-system = As the system
theme-light = Light
theme-dark = Dark
apply = Apply
notifications-unread =
    { $count ->
        [one] { $count } unread
       *[other] { $count } unread
    }
project-navigation = Project { $name }
tab-ideas = Ideas
tab-proposals = Proposals
tab-tasks = Tasks
tab-documents = Documents
tab-sessions = At work
tab-activity = Activity
tab-settings = Settings
private = Private
read-only = Read only
go-back = Go back
page-has-changed = There is something new on this page.
show-changes = Show it
connection-lost = The connection was lost. Trying again …
something-went-wrong = That did not work. Check your connection and try again.
form-is-stale = This form is older than your session. Go back, reload the page and send it again; nothing was changed.
form-too-large = At most { $most } MiB can be sent at once. Shorten the text, or split it.

# When there is no page.
missing-title = Not found
missing-text = There is nothing at this address, or it is not for you to see.
method-title = Not like this
method-text = This address takes no request of this kind.
failed-title = Something went wrong
failed-internal = It is our fault, and the server's log has the details. Nothing was changed.
failed-unavailable = The database does not answer just now. Try again in a moment.

# Headlines of refusals; what exactly is wrong follows.
refused-not-found = Not found
refused-forbidden = You may not do this
refused-assignee-no-access = They can't work on this
refused-not-assignee = Only who holds it may do this
refused-already-claimed = Somebody else holds it
refused-not-claimed = Nobody holds it
refused-invalid-state = Not in its present state
refused-invalid-transition = It can't go there from here
refused-blocked-by-dependencies = Something else has to be finished first
refused-precondition-failed = It was changed meanwhile
refused-ambiguous-round = Say which round is meant
refused-invalid-arguments = Please check what you filled in
refused-stale-confirmation = What you confirmed has changed meanwhile
refused-already-member = Already a member
refused-last-admin = Somebody has to stay in charge
refused-cycle = That would go round in a circle
refused-too-large = That is too large
refused-idempotency-key-reused = This form was sent before
refused-rate-limited = Too many attempts
refused-unavailable = Try again in a moment
refused-internal = Something went wrong
sure-yes = Yes, do it
