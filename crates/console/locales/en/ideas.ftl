idea-new = New idea
idea-new-title = New idea
idea-new-below = New idea below
idea-create = Create idea
idea-edit-title = Edit idea
idea-text = What it is about
idea-no-text = Nothing more than the title was written down.
idea-theme = Theme
idea-is-theme = This is a theme
idea-is-theme-hint = It groups other ideas; its progress is theirs, and nothing is proposed from it.
idea-theme-empty = No idea belongs to this theme yet.
idea-theme-progress = Progress of the theme
idea-parent = Derived from
idea-no-parent = No other idea
idea-parents-more = The newest ideas are offered. To put it below an older one, open that one and make a new idea below.
idea-below = Ideas below it
idea-came-of-it = What came of it
idea-no-proposals = Nothing was proposed from it yet.
idea-move = Move to another project
idea-move-title = Move idea
idea-move-text = These go along, the idea itself included:
idea-move-parent = It leaves the idea that it was derived from.
idea-move-to = To project
idea-move-do = Move
idea-move-nowhere = There is nowhere to move it
idea-move-nowhere-text = You can write in no other project. Ask for a role in one, or create one.
idea-delete = Delete this idea
idea-delete-title = Delete idea
idea-delete-children =
    { $count ->
        [one] { $count } idea below it stays and is below nothing then.
       *[other] { $count } ideas below it stay and are below nothing then.
    }
idea-next-open = Nobody has taken it up. Take it yourself or give it to an agent, which will ask what it needs to know.
idea-next-answer = Your turn: answer the questions below.
idea-next-verify = The questions are answered. Are the answers enough? Then confirm below; otherwise its holder asks on.
idea-next-researching = Its holder finds out what is meant.
idea-next-planning = It is clear what is meant; a proposal comes next.
idea-next-review = Your turn: a proposal waits for a decision.
idea-next-building = Work is on the way.
idea-next-verify-work = Your turn: finished work waits for verification.
idea-next-done = Everything that came of it is finished.
ideas-none = No ideas yet
ideas-none-text = Work begins with an idea: write down what you want, and an agent will ask, propose and build it.
ideas-beyond =
    { $count ->
        [one] The ideas that changed last are shown here; { $count } older one is not among them.
       *[other] The ideas that changed last are shown here; { $count } older ones are not among them.
    }
ideas-all = All ideas as a list
view-board = Board
view-tree = Tree
view-list = List
about-this-project = About this project
project-numbers = The project in numbers
numbers-ideas = Ideas
numbers-waiting = Your turn
numbers-proposals = Proposals
numbers-documents = Documents
numbers-tasks = Tasks finished
numbers-progress = Tasks finished
questions-title = Questions
questions-none = Nobody has asked anything yet. Questions are asked by the agent that holds the idea.
questions-show = Questions and answers
round-number = Round { $count }
round-waits = Waits for answers
round-answered = Answered
asked-by = Asked by { $name }
answer-other = None of these; in my own words:
answer-words = Own words or a note
answer-hint = Questions that you leave open can be answered later. The round is finished when all required ones are.
answer-again = Answer differently
answer-send = Send answers
answer-none = Not answered
elaboration-verify = Confirm the answers
elaboration-verify-hint = The idea is elaborated then, and can be proposed from.
elaboration-skip = Go on without questions
elaboration-skip-hint = For ideas that are clear as they are. The reason is kept.
done-idea = The idea is there.
done-idea-moved = Moved.
done-answered = Your answers are stored.
done-verified = The idea is elaborated.
done-skipped = Elaboration skipped.
