# What several pages say.
work-actions = Actions
work-add = Add
work-remove = Remove
work-any = Any
work-find = Find
work-copy = Copy
work-copied = Copied
work-and-more = and { $count } more
work-somebody-gone = Somebody who is gone
work-goes-criteria =
    { $count ->
        [one] { $count } acceptance criterion
       *[other] { $count } acceptance criteria
    }
work-goes-dependencies =
    { $count ->
        [one] { $count } dependency
       *[other] { $count } dependencies
    }
work-goes-checkins =
    { $count ->
        [one] { $count } check-in of a session
       *[other] { $count } check-ins of sessions
    }
work-stays-activities =
    { $count ->
        [one] { $count } entry of the activity stream stays.
       *[other] { $count } entries of the activity stream stay.
    }
work-goes-keys =
    { $count ->
        [one] { $count } key stops working
       *[other] { $count } keys stop working
    }
work-goes-sessions =
    { $count ->
        [one] { $count } session ends
       *[other] { $count } sessions end
    }
work-frees-ideas =
    { $count ->
        [one] { $count } idea it holds, free again unless it is finished
       *[other] { $count } ideas it holds, free again unless they are finished
    }

# Agents.
agents-title = Agents
agents-text = Programs that work for you. Each acts with your level in every project, and with the tools that you give it.
agents-own = Yours
agents-none = You have no agent yet
agents-none-text = Make one, give it a key, and connect Claude Code, Codex or another program with it.
agents-others = Of others
agents-others-text = You can assign work to them. What they may do is up to their owners.
agent-of = of { $name }
agent-of-nobody = of nobody
agent-new = New agent
agent-new-title = New agent
agent-new-text = Give it a name and say what it may do. Both can be changed at any time, and count from its next call on.
agent-create = Create agent
agent-edit = Edit
agent-edit-title = Edit agent
agent-name = Name
agent-preset = What it may do
agent-grid = Single permissions
agent-grid-hint = A preset has its boxes already. To take one away, choose “Custom” and tick what is left.
agent-resource = On
agent-admin-warning = The column “Admin” lets the agent decide in place of people: approve, verify, delete. Give it only where nobody needs to look.
agent-sees = Effect
agent-sees-text = tools are visible to it with these permissions.
agent-show-effect = Show effect
agent-tools = Which tools
agent-persona = Persona
agent-persona-hint = How it should see itself; it is told at check-in.
agent-no-persona = None.
agent-permissions-count =
    { $count ->
        [one] { $count } permission of 15
       *[other] { $count } permissions of 15
    }
agent-online = Online
agent-last-seen = last seen
agent-never-seen = It has never come in.
agent-connect = Connect
agent-holds = What it holds
agent-unfinished = Tasks to do
agent-finished = Tasks finished
agent-ideas = Ideas
agent-sessions = Sessions
agent-no-sessions = It has opened no session yet.
agent-delete = Delete agent
agent-delete-title = Delete this agent?
agent-delete-text = It is gone for good. Finished work, comments and activity keep its name.
agent-frees = These unfinished tasks are affected; what it has not handed over is free for others again:
agent-frees-nothing = It holds no unfinished task.
done-agent-made = The agent is there. Give it a key next.
done-agent-changed = The agent is changed.
done-agent-deleted = The agent is deleted.

# Keys.
keys = Keys
keys-none = No key
keys-none-text = Without a key it can't come in. Make one and give it to the program.
key = Key
key-new = New key
key-create = Create key
key-name = Name
key-name-hint = For you, to tell keys apart, such as the machine it is on. May stay empty.
key-until = Works until
key-until-hint = A day in UTC; empty for no end.
key-used = Last used
key-never-used = Never
key-expires = Expires
key-expired = Expired
key-no-end = Never
key-made = Made
key-revoke = Revoke
key-revoke-this = Revoke { $key }
key-revoke-sure = Revoke { $name }? Whatever uses it is let in no more.
done-key-revoked = The key no longer works.

# Connecting a program.
agent-connect-title = Connect { $name }
connect-key = 1. Its key
connect-key-text = The program proves with a key that it is this agent. It is shown once, after it is made.
connect-key-once = This is shown once. Keep it where nobody else reads it; if it is lost, revoke it and make another.
connect-client = 2. Your program
connect-client-text = The lines below hold the key. Run one of them, or copy the configuration.
connect-client-variable = The lines below take the key from the variable CHORUS_API_KEY. Set it first, or make a key above to get them ready to run.
connect-others = Other programs
connect-others-text = Any MCP client with Streamable HTTP: put this into .mcp.json, or wherever yours looks.
connect-endpoint = Address:
connect-test = 3. Does it come in?
connect-waiting = Waiting …
connect-waiting-text = Start the program and tell it to check in to Chorus (chorus_checkin). This page notices by itself.
connect-came = Connected
connect-done = To the agent

# Settings.
prefs-title = Settings
prefs-look = Language and theme
prefs-look-text = For this browser.
prefs-account = Account
prefs-account-text = Password, where you are signed in, and inviting others.
prefs-agents = Agents and keys
prefs-agents-text = The programs that work for you, what they may do, and their keys.
prefs-notifications = Notifications
prefs-notifications-text = What you are told about.
