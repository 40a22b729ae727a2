# Tasks of a project: board, list, picture.
tasks-title = Tasks
tasks-views = Views of the tasks
tasks-board = Board
tasks-list = List
tasks-graph = Dependencies
tasks-filter = Filter tasks
tasks-no-filter = Show all
tasks-none-title = No tasks yet
tasks-none-text = Tasks appear here when a proposal is approved. For something small, make one yourself with “New task”.
tasks-none-match = Nothing matches
tasks-none-match-text = No task has all that you chose. Choose less, or show all.
tasks-column-empty = Nothing here
tasks-count =
    { $count ->
        [one] { $count } task
       *[other] { $count } tasks
    }
tasks-show-all =
    { $count ->
        [one] Show the one
       *[other] Show all { $count }
    }
tasks-graph-label = Which task waits for which
tasks-graph-text = What comes first stands on the left. Choose a task to open it.
tasks-graph-words = The same in words
tasks-graph-none = No task waits for another
tasks-graph-none-text = Say on a task's page what has to be finished before it, and it is drawn here.
tasks-graph-cut =
    { $count ->
        [one] Only { $count } dependency is drawn. Filter by a proposal to see others.
       *[other] Only { $count } dependencies are drawn, those of unfinished tasks first. Filter by a proposal to see others.
    }

# One task.
task-title = Title
task-description = Description
task-no-description = No description.
task-status = Status
task-priority = Priority
task-points = Effort in agent hours
task-assignee = Assignee
task-nobody = Nobody
task-updated = Changed
task-made-by = Made by
task-proposal = Proposal
task-report = Report
task-new = New task
task-new-title = New task
task-new-text = A quick task, without a proposal. It starts open: somebody takes it, or you assign it.
task-create = Create task
task-criteria = Acceptance criteria
task-criteria-hint = When does it count as done? At least one; blank lines are left out.
task-criterion = Criterion { $count }
task-required = Required
task-optional = Optional
task-no-criteria = No criteria.
task-prerequisites = Has to wait for others
task-prerequisites-legend = What has to be finished first
task-prerequisites-more = These are the most urgent hundred. Others can be added on the task's page.
task-edit = Edit
task-move = Move
task-move-this = Move { $title }
task-no-such-move = A task can't go there from where it is. Open it to see what is possible.
task-take = Take it
task-start = Start
task-release = Give back
task-submit = Hand over for verification
task-verify = Verify
task-reopen = Send back
task-close = Close
task-close-sure = Close “{ $name }”? It can't be opened again.
task-open = Open the task
task-unproven = Before it can be verified, every required criterion needs the verdict “passed”.
task-self-check = Worker's own check
task-verdict = Verdict
task-judge = Judge
task-evidence = What shows that
task-mark-passed = Passed
task-mark-failed = Failed
task-mark-reset = Take the verdict back
task-rewrite = Change the criteria
task-rewrite-hint = They take the place of all there are. Marks and evidence are lost.
task-rewrite-do = Replace all criteria
task-people = Who
task-at-work = At work on it
task-assign = Assign
task-assign-me = Assign to me
task-assign-to = To whom
assign-find = Name
assign-none = Nobody of that name can be given this.
assign-me = Me
assign-own-agent = your agent
assign-agent = agent
assign-person = person
task-depends-on = Waits for
task-depends-on-none = It waits for nothing.
task-depends-add = Add what it waits for
task-depends-find = Find a task
task-depends-nothing = No such task that it doesn't wait for already.
task-depends-remove = Don't wait for { $title } any more
task-depended-by = Waiting for it
task-depended-by-none = Nothing waits for it.
task-origin = Where it comes from
task-quick = A quick task, without a proposal.
task-waits-for =
    { $count ->
        [one] Waits for { $count }
       *[other] Waits for { $count }
    }
task-blocked = Blocked
task-blocked-title = Something has to be finished first
task-blocked-text = This task waits for work that is not done:
task-blocked-hidden =
    { $count ->
        [one] { $count } task in a project that you don't see
       *[other] { $count } tasks in projects that you don't see
    }
task-blocked-no-more = Nothing stands in its way any more.
task-blocked-wait = Let it wait
task-force = Start anyway
task-force-text = You can go past this. It is recorded in the activity that you did.
task-delete = Delete task
task-delete-title = Delete this task?
task-delete-waiting = These tasks wait for it; whoever is concerned is told:
task-delete-hint = To keep it on record, close it instead.
done-task-made = The task is there.
done-task-moved = The task has moved on.
done-task-changed = The task is changed.
done-task-assigned = The task is assigned.
done-task-deleted = The task is deleted.
done-criterion-marked = The verdict is recorded.
done-criterion-reset = The verdict is taken back.

# Sessions.
sessions-title = At work now
sessions-text = Sessions of agents that were active within the last hour, and what they are at.
sessions-none = Nobody is at work
sessions-none-text = A session appears here when an agent checks in to a task of this project.
sessions-cut = Only those that were last active are shown.
session = Session
session-agent = Agent
session-tasks = At
session-last = Last sign of life
session-since = since
session-close = Close
session-reopen = Reopen
session-close-sure = Close the session “{ $name }”? It leaves all its tasks.
done-session-changed = The session is changed.
