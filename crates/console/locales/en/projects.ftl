# Lists of projects.
space-progress = Finished tasks
progress-of = Finished tasks of { $name }
tasks-finished = tasks finished
no-tasks-yet = No tasks yet
amount-projects =
    { $count ->
        [one] { $count } project
       *[other] { $count } projects
    }
amount-ideas =
    { $count ->
        [one] { $count } idea
       *[other] { $count } ideas
    }
amount-proposals =
    { $count ->
        [one] { $count } proposal
       *[other] { $count } proposals
    }
amount-documents =
    { $count ->
        [one] { $count } document
       *[other] { $count } documents
    }
amount-tasks =
    { $count ->
        [one] { $count } task
       *[other] { $count } tasks
    }
amount-comments =
    { $count ->
        [one] { $count } comment
       *[other] { $count } comments
    }
amount-claims =
    { $count ->
        [one] { $count } unfinished thing that somebody holds
       *[other] { $count } unfinished things that somebody holds
    }
projects-none = No projects yet
projects-none-text = Create a project to give ideas, proposals and tasks a place.
projects-loose = Without a group
projects-all = All projects
project-new = New project
project-make = Create the project
group = Group
no-group = No group
group-others = To create a project in a group that is not listed, start from the page of that group.
space-name = Name
space-description = Description
who-sees-it = Who sees it
visibility-default = As the group has it, otherwise public
visibility-public-why = Public: everybody in the workspace may read and edit
visibility-private-why = Private: only members
space-cancel = Cancel
space-save = Save
space-add = Add
done-project-made = The project was created.
done-space-saved = Saved.

# Settings of a project.
project-about = About the project
no-description = No description
settings-read-only = Your role here lets you read this. Ask an administrator to change it.
members = Members
members-private-why = Only members see this project. Roles from the group count here too.
members-public-why = Everybody in the workspace may edit this project; only administrators have more. Other roles count once it is private.
members-admins-only = Only administrators add, change and remove members.
member-add = Add a member
people-none = Nobody is left to be added.
people-find = Find people
people-others =
    { $count ->
        [one] { $count } more person; narrow the list by a name.
       *[other] { $count } more people; narrow the list by a name.
    }
space-person = Person
space-role = Role
role-from = Comes from
space-change = Change
change-go = Look at the effect
role-of = Role of { $name }
remove-member = Remove
inherited-why = Is changed where it comes from
via-project = this project
via-group = the group
via-both = project and group
via-automatic = stands in until somebody else is administrator
done-member-added = The member was added.
done-role-changed = The role was changed.
done-member-removed = The member was removed.
member-title = Change the role of { $name }
member-becomes = The new role is: { $role }.
member-goes = { $name } will not be a member any more.
role-confirm = Change the role
remove-confirm = Remove the member
role-before = Now
role-after = Then
reach-none = No access
reach-viewer = Viewer
reach-editor = Editor
reach-admin = Admin
impact-title = What this does
impact-opened = Everybody in the workspace gets access.
impact-closed = The workspace loses access; only members keep it.
impact-lost =
    { $count ->
        [one] { $count } person loses all access
       *[other] { $count } people lose all access
    }
impact-lowered =
    { $count ->
        [one] { $count } person may do less than before
       *[other] { $count } people may do less than before
    }
impact-gained =
    { $count ->
        [one] { $count } person gets access
       *[other] { $count } people get access
    }
impact-raised =
    { $count ->
        [one] { $count } person may do more than before
       *[other] { $count } people may do more than before
    }
impact-nobody = Nobody's access changes.
impact-released = Who can't edit any more lets go of what they and their agents hold:
impact-tasks =
    { $count ->
        [one] { $count } unfinished task is free again
       *[other] { $count } unfinished tasks are free again
    }
impact-ideas =
    { $count ->
        [one] { $count } idea is free again
       *[other] { $count } ideas are free again
    }
impact-checkins =
    { $count ->
        [one] { $count } session leaves its task
       *[other] { $count } sessions leave their tasks
    }
project-make-public = Make it public
visibility-by-group = Its group is private, and so are all projects in it. Move it out of the group first, or make the group public.
project-make-private = Make it private
done-visibility-changed = The visibility was changed.
project-move = Move to another group
move-text = Choose where the project shall be. You see what that does before anything is changed.
move-look = Look at the effect
move-look-into = Look at the effect of moving to { $name }
is-here = Is here
move-into = The project moves into the group { $name }.
move-out = The project leaves its group. Members of the group keep their roles as roles of the project.
move-closes = The group is private, so the project becomes private too.
move-confirm = Move the project
done-moved = The project was moved.
project-delete = Delete the project
project-delete-why = It goes for good, with everything in it.
project-delete-look = See what goes with it
project-delete-what = { $name } goes for good, and with it:
project-delete-confirm = Delete for good
type-name = Type { $name } to confirm
done-project-deleted = The project was deleted.

# Groups.
group-new = New group
group-new-why = A group keeps projects together and shares access to them.
group-make = Create the group
done-group-made = The group was created.
group-empty = No projects in this group
group-empty-text = Create one here, or move one in from its settings.
space-finished = Finished
open-ideas = Open ideas
active-proposals = Active proposals
group-settings-of = Settings of { $name }
group-about = About the group
group-members-why = A member of the group has their role in each of its projects.
group-roster-hidden = Only members of the group see who is in it.
group-private-why = Private: only its members, and whoever sees one of its projects. All its projects are private.
group-public-why = Public: everybody in the workspace sees the group; each project has its own visibility.
group-make-public = Make the group public
group-make-private = Make the group private
group-delete = Delete the group
group-delete-why = Its projects can stay, in no group, or go with it.
group-delete-keep = Delete the group and keep its projects
group-delete-kept =
    { $count ->
        [0] The group is empty.
        [one] { $count } project stays, in no group; members of the group keep their roles in it.
       *[other] { $count } projects stay, in no group; members of the group keep their roles in each.
    }
group-delete-all = Delete the group with its projects
group-delete-gone = All of this goes for good:
done-group-deleted = The group was deleted.
at-hand-title = Pinned and recent
pinned = pinned
pin = Pin
unpin = Unpin
pin-this = Pin { $name }
unpin-this = Unpin { $name }
done-pin = Saved.
