home-title = Your turn
home-sub = What waits for you in all projects that you may edit.
home-quiet = Nothing waits for you
home-quiet-text = When an agent asks a question, submits a proposal or hands over a task, it shows up here.
go-to-projects = Go to the projects
steps-title = First steps
steps-text = Agents work in projects, with a key of their own. Two steps, and they can begin.
step-done = Done
step-project = Create a project
step-project-why = the place for ideas, proposals, documents and tasks
step-agent = Create an agent
step-agent-why = gives a program a key with which it can work for you
wait-answers = Questions to answer
wait-review = Proposals to review
wait-verification = Tasks to verify
wait-nothing = Nothing waits here
waiting-total =
    { $count ->
        [one] { $count } thing waits, the longest unchanged first
       *[other] { $count } things wait, the longest unchanged first
    }
mine-title = What you hold
mine-none = You hold nothing at the moment.
space-mentions = Mentions
space-show-all =
    { $count ->
        [one] Show { $count }
       *[other] Show all { $count }
    }
space-show-everything = Show all
space-pages = Pages
space-page-before = Previous
space-page-behind = Next
space-somebody = Somebody
space-operator = The operator
