work-agent = Agent
work-change = Edit
work-save = Save
work-cancel = Cancel
work-title = Title
work-description = Description
work-reason = Reason
work-note-optional = Note (optional)
work-details = Details
work-version = Version
work-made-by = Created by
work-made-at = Created
work-changed-at = Last changed
work-optional = optional
work-required = Required
work-choose = Choose …
work-kind = Type
work-priority = Priority
work-effort = { $hours } agent hours
work-effort-label = Effort in agent hours
work-criteria = Acceptance criteria
work-criteria-hint = How to see that it is done; at least one. Empty rows are ignored.
work-criterion-number = Criterion { $count }
work-waits-for = Waits for
work-waits-for-unknown =
    { $count ->
        [one] and { $count } that is not there
       *[other] and { $count } that are not there
    }
work-nobody = Nobody
work-assigned-to = Held by
work-assign-to-me = Take it
work-assign-to = Give it to
work-assign = Assign
work-release = Give it back
work-release-other = Take it from them
work-views = View
work-elaboration = Elaboration
work-markdown-hint = Markdown is rendered.
work-column-empty = Nothing here.
work-column-more = { $count } more
work-all-tasks = All { $count } tasks
work-open-document = Open the document
work-read-only-hint = You can read this project. Ask one of its administrators if you want to change it.
work-delete-for-good = Delete for good
work-delete-goes = It is deleted for good. With it go:
work-delete-alone = It is deleted for good. Nothing else goes with it.
work-delete-keeps-proposals =
    { $count ->
        [one] { $count } proposal made from it stays.
       *[other] { $count } proposals made from it stay.
    }
work-count-ideas =
    { $count ->
        [one] { $count } idea
       *[other] { $count } ideas
    }
work-count-proposals =
    { $count ->
        [one] { $count } proposal
       *[other] { $count } proposals
    }
work-count-documents =
    { $count ->
        [one] { $count } document
       *[other] { $count } documents
    }
work-count-tasks =
    { $count ->
        [one] { $count } task
       *[other] { $count } tasks
    }
work-count-activities =
    { $count ->
        [one] { $count } entry of the activity stream
       *[other] { $count } entries of the activity stream
    }
work-count-comments =
    { $count ->
        [one] { $count } comment
       *[other] { $count } comments
    }
work-count-rounds =
    { $count ->
        [one] { $count } round of questions
       *[other] { $count } rounds of questions
    }
work-count-references =
    { $count ->
        [one] { $count } reference
       *[other] { $count } references
    }
work-count-versions =
    { $count ->
        [one] { $count } earlier version
       *[other] { $count } earlier versions
    }
done-work-saved = Saved.
done-work-deleted = Deleted.
done-work-comment = Your comment is there.
done-work-assigned = Assigned.
done-work-released = Given back; it is free for others.
talk-title = Comments
talk-earlier = Earlier comments
talk-later = Later comments
talk-none = Nobody has said anything yet.
talk-label = Your comment
talk-send = Comment
talk-mention = Mention somebody
talk-mention-hint = Whoever you mention is told. Agents read it the next time they check in.
evidence-title = References
evidence-none = No links to evidence yet.
evidence-add = Add a reference
evidence-remove = Remove this reference
evidence-kind = What it is
evidence-url = Link
evidence-name = Name
evidence-notes = Why it matters
done-evidence-added = Reference added.
done-evidence-saved = Reference saved.
done-evidence-removed = Reference removed.
