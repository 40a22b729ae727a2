# Notifications: one sentence for each topic. $name is a link to the thing.
preferences-title = What you hear about
preferences-tell-me = Tell me when
preferences-always = Some things you are always told: that something of yours was deleted or freed, that a prerequisite ended, that an elaboration was confirmed.
mark-all-read = Mark all as read
mark-read = Mark as read
space-archive = Archive
show-which = Which notifications
show-unread = Unread
notifications-none = Nothing new
notifications-none-text = Mentions, decisions and whatever happens to your work arrive here.
notifications-total =
    { $count ->
        [one] { $count } notification
       *[other] { $count } notifications
    }
done-all-read = All notifications are read.
done-read = Marked as read.
done-archived = Archived.
told-task-assigned = { $actor } gave you { $kind } { $name }
told-task-status-changed = { $actor } changed the status of { $kind } { $name }
told-task-submitted-for-verify = { $actor } handed over { $kind } { $name } for verification
told-task-verified = { $actor } verified { $kind } { $name }
told-task-reopened = { $actor } sent { $kind } { $name } back to work
told-proposal-submitted = { $actor } submitted { $kind } { $name } for review
told-proposal-approved = { $actor } approved { $kind } { $name }
told-proposal-rejected = { $actor } sent { $kind } { $name } back to draft
told-idea-claimed = { $actor } takes care of { $kind } { $name }
told-comment-added = { $actor } commented on { $kind } { $name }
told-elaboration-requested = { $actor } has questions about { $kind } { $name }
told-elaboration-answered = { $actor } answered questions about { $kind } { $name }
told-elaboration-verified = { $actor } confirmed the elaboration of { $kind } { $name }
told-report-created = { $actor } wrote a completion report for { $kind } { $name }
told-mentioned = { $actor } mentioned you in { $kind } { $name }
told-dependency-closed = A prerequisite of { $kind } { $name } ended without being done, through { $actor }
told-unblocked = { $kind } { $name } can begin: { $actor } finished its last prerequisite
told-deleted = { $actor } deleted something of yours, in { $kind } { $name }
told-agent-removed = { $actor } removed an agent; what it held in { $kind } { $name } is free again
told-work-freed = Work in { $kind } { $name } is free again, through { $actor }
told-mentions-held-back = { $actor } and another agent mention each other very often in { $kind } { $name }; please have a look
prefer-task-assigned = a task is given to me
prefer-task-status-changed = the status of a task of mine changes
prefer-task-verified = a task waits for verification or is verified
prefer-task-reopened = a task of mine is sent back to work
prefer-proposal-submitted = a proposal waits for review
prefer-proposal-approved = a proposal of mine is approved
prefer-proposal-rejected = a proposal of mine is sent back
prefer-idea-claimed = somebody takes care of an idea of mine
prefer-comment-added = somebody comments on something of mine
prefer-elaboration-requested = somebody has questions about an idea of mine
prefer-elaboration-answered = questions about an idea are answered
prefer-mentioned = somebody mentions me

# Searching.
search-words = Words or an id
search-where = Where
search-everywhere = Everywhere
search-kinds = Only these kinds
search-results = Results
search-total =
    { $count ->
        [0] No matches
        [one] { $count } match
       *[other] { $count } matches
    }
search-best = The best matches are shown. Add words or choose kinds to see others.
search-beside = Related
search-none = Nothing was found
search-none-text = Try fewer or other words, or look everywhere.
search-begin = What are you looking for?
search-begin-text = Titles and texts of everything that you can see are searched.
found-task = Tasks
found-idea = Ideas
found-proposal = Proposals
found-document = Documents
found-project = Projects
found-project-group = Groups
