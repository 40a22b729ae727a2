proposal-new = New proposal
proposal-new-title = New proposal
proposal-create = Create proposal
proposal-from = Made from
proposal-from-ideas = From ideas
proposal-from-documents = From documents
proposal-no-sources = Nothing to propose from yet
proposal-no-sources-text = A proposal starts from elaborated ideas or from documents. Answer the questions about an idea, or write a document first.
proposal-sources-more = The newest are offered. To start from an older one, open it and create a proposal there.
proposal-no-inputs = Nothing that you can see.
proposal-returned = Sent back
proposal-made = What came of it
proposals-none = No proposals yet
proposals-none-text = Agents propose documents and tasks for ideas that are clear. You can also start a proposal yourself.
proposals-all = All proposals
review-last = Last review
issues-title = What it lacks
submit-title = Hand it in
proposal-submit = Submit for review
submit-hint = It can't be edited while it waits for a decision.
submit-errors = The errors listed above have to be mended first.
decide-title = Your decision
decide-next = Your turn: read the drafts, then decide.
decide-go = To the decision
proposal-approve = Approve
approve-hint = With your approval the drafts become documents and tasks that agents can take.
proposal-reject = Send back
reject-hint = It becomes a draft again, and its maker reads your reason.
proposal-close = Turn down for good
close-hint = Nothing comes of it; this can't be undone.
revoke-title = Approved
revoke-hint = Its tasks and documents exist. You can still take the approval back:
proposal-revoke = Take the approval back
proposal-revoke-title = Take the approval back
proposal-delete = Delete this proposal
proposal-delete-title = Delete proposal
proposal-delete-drafts = its drafts of documents and tasks
revoke-does = The proposal becomes a draft again, with its drafts as they were. What came of the approval is undone:
revoke-closes =
    { $count ->
        [one] { $count } task is closed
       *[other] { $count } tasks are closed
    }
revoke-deletes =
    { $count ->
        [one] { $count } document is deleted
       *[other] { $count } documents are deleted
    }
decided-title = Decided
closed-hint = This proposal was turned down for good.
nothing-written = Nothing was written down.
document-drafts = Document drafts
document-drafts-none = No document drafts
document-drafts-none-text = A proposal needs at least one: what is to be built, and how.
document-draft-add = Add a document draft
document-draft-new = New document draft
document-draft-edit = Edit document draft
task-drafts = Task drafts
task-drafts-none = No task drafts
task-drafts-none-text = A proposal needs at least one, with criteria by which it counts as done.
task-draft-add = Add a task draft
task-draft-new = New task draft
task-draft-edit = Edit task draft
draft-text = Text
draft-remove = Remove this draft
draft-remove-sure = Remove this draft from the proposal?
graph-of-drafts = Which task draft waits for which
done-proposal = The proposal is there; add drafts to it.
done-submitted = Handed in for review.
done-approved = Approved. Its tasks are open to agents now.
done-rejected = Sent back with your reason.
done-closed = Turned down for good.
done-revoked = The approval was taken back.
done-draft-removed = Draft removed.
