-- The first schema. `migrations/sqlite` holds the same one; a test compares the two with each other and with the code.
--
-- Names of constraints are those that PostgreSQL would give (`table_columns_key`), also on primary keys of several
-- columns: SQLite reports a violated one by its columns, from which the name follows. Rows below a project, a group or an
-- agent repeat their company for filters; only the parent is a foreign key, so that a write locks one row fewer.
-- References to one of several tables (`target_`, `created_by_`, ...) are a type and an id, without a foreign key.

-- Tenants. The first run makes one.
create table company (
    id uuid not null,
    name text not null,
    created_at timestamptz not null,
    constraint company_pkey primary key (id),
    constraint company_name_check check (trim(name) <> '')
);

-- People (`user` is a reserved word). `email_key` is the address folded to lower case: unique without case.
create table app_user (
    id uuid not null,
    company_id uuid not null,
    oidc_sub text,
    email text,
    email_key text,
    name text,
    avatar_url text,
    password_hash text,
    created_at timestamptz not null,
    constraint app_user_pkey primary key (id),
    constraint app_user_company_id_oidc_sub_key unique (company_id, oidc_sub),
    constraint app_user_company_id_email_key_key unique (company_id, email_key),
    constraint app_user_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint app_user_email_key_pair_check check ((email is null) = (email_key is null))
);
create index app_user_company_id_created_at_id_idx on app_user (company_id, created_at, id);

-- Programs. Presets (`roles`) and single bits (`permissions`) are stored as names; without an owner an agent reaches
-- public projects only.
create table agent (
    id uuid not null,
    company_id uuid not null,
    name text not null,
    roles jsonb not null default '[]',
    permissions jsonb not null default '[]',
    persona text,
    system_prompt text,
    owner_id uuid,
    last_active_at timestamptz,
    created_at timestamptz not null,
    constraint agent_pkey primary key (id),
    constraint agent_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint agent_owner_id_fkey foreign key (owner_id) references app_user (id) on delete restrict,
    constraint agent_name_check check (trim(name) <> ''),
    constraint agent_roles_check check (jsonb_typeof(roles) = 'array'),
    constraint agent_permissions_check check (jsonb_typeof(permissions) = 'array')
);
create index agent_company_id_created_at_id_idx on agent (company_id, created_at desc, id desc);
create index agent_owner_id_created_at_id_idx on agent (owner_id, created_at desc, id desc);

-- What agents were called that were removed: finished work, comments and activities go on naming them.
create table former_agent (
    id uuid not null,
    company_id uuid not null,
    name text not null,
    removed_at timestamptz not null,
    constraint former_agent_pkey primary key (id),
    constraint former_agent_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint former_agent_name_check check (trim(name) <> '')
);
create index former_agent_company_id_idx on former_agent (company_id);

-- Keys of agents: only the hash is kept.
create table api_key (
    id uuid not null,
    company_id uuid not null,
    agent_id uuid not null,
    key_hash text not null,
    key_prefix text not null,
    name text,
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz not null,
    constraint api_key_pkey primary key (id),
    constraint api_key_key_hash_key unique (key_hash),
    constraint api_key_agent_id_fkey foreign key (agent_id) references agent (id) on delete cascade
);
create index api_key_agent_id_created_at_id_idx on api_key (agent_id, created_at desc, id desc);
create index api_key_company_id_created_at_id_idx on api_key (company_id, created_at desc, id desc);

-- Groups of projects. `access_version` rises with every change that concerns access.
create table project_group (
    id uuid not null,
    company_id uuid not null,
    name text not null,
    description text not null default '',
    visibility text not null default 'public',
    created_by_type text,
    created_by_id uuid,
    access_version integer not null default 0,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint project_group_pkey primary key (id),
    constraint project_group_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint project_group_name_check check (trim(name) <> ''),
    constraint project_group_visibility_check check (visibility in ('public', 'private')),
    constraint project_group_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint project_group_created_by_pair_check check ((created_by_type is null) = (created_by_id is null))
);
create index project_group_company_id_created_at_id_idx on project_group (company_id, created_at, id);

-- Explicit roles of users in groups.
create table group_member (
    group_id uuid not null,
    user_id uuid not null,
    role text not null,
    added_by_type text,
    added_by_id uuid,
    created_at timestamptz not null,
    constraint group_member_group_id_user_id_key primary key (group_id, user_id),
    constraint group_member_group_id_fkey foreign key (group_id) references project_group (id) on delete cascade,
    constraint group_member_user_id_fkey foreign key (user_id) references app_user (id) on delete cascade,
    constraint group_member_role_check check (role in ('viewer', 'editor', 'admin')),
    constraint group_member_added_by_type_check check (added_by_type in ('user', 'agent')),
    constraint group_member_added_by_pair_check check ((added_by_type is null) = (added_by_id is null))
);
create index group_member_user_id_idx on group_member (user_id);

-- Projects. Their group may not go before them.
create table project (
    id uuid not null,
    company_id uuid not null,
    name text not null,
    description text,
    group_id uuid,
    visibility text not null default 'public',
    created_by_type text,
    created_by_id uuid,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint project_pkey primary key (id),
    constraint project_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint project_group_id_fkey foreign key (group_id) references project_group (id) on delete restrict,
    constraint project_name_check check (trim(name) <> ''),
    constraint project_visibility_check check (visibility in ('public', 'private')),
    constraint project_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint project_created_by_pair_check check ((created_by_type is null) = (created_by_id is null))
);
create index project_company_id_updated_at_id_idx on project (company_id, updated_at desc, id desc);
create index project_group_id_updated_at_id_idx on project (group_id, updated_at desc, id desc);

-- Local roles of users in projects.
create table project_member (
    project_id uuid not null,
    user_id uuid not null,
    role text not null,
    added_by_type text,
    added_by_id uuid,
    created_at timestamptz not null,
    constraint project_member_project_id_user_id_key primary key (project_id, user_id),
    constraint project_member_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint project_member_user_id_fkey foreign key (user_id) references app_user (id) on delete cascade,
    constraint project_member_role_check check (role in ('viewer', 'editor', 'admin')),
    constraint project_member_added_by_type_check check (added_by_type in ('user', 'agent')),
    constraint project_member_added_by_pair_check check ((added_by_type is null) = (added_by_id is null))
);
create index project_member_user_id_idx on project_member (user_id);

-- Ideas. A parent that goes leaves its children behind as roots.
create table idea (
    id uuid not null,
    company_id uuid not null,
    project_id uuid not null,
    title text not null,
    content text,
    status text not null default 'open',
    elaboration_depth text,
    elaboration_status text,
    parent_id uuid,
    is_container boolean not null default false,
    assignee_type text,
    assignee_id uuid,
    assigned_at timestamptz,
    assigned_by_type text,
    assigned_by_id uuid,
    created_by_type text not null,
    created_by_id uuid not null,
    version integer not null default 1,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint idea_pkey primary key (id),
    constraint idea_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint idea_parent_id_fkey foreign key (parent_id) references idea (id) on delete set null,
    constraint idea_title_check check (trim(title) <> ''),
    constraint idea_status_check check (status in ('open', 'elaborating', 'elaborated')),
    constraint idea_elaboration_depth_check check (elaboration_depth in ('minimal', 'standard', 'comprehensive')),
    constraint idea_elaboration_status_check check (elaboration_status in ('pending_answers', 'validating', 'resolved')),
    constraint idea_assignee_type_check check (assignee_type in ('user', 'agent')),
    constraint idea_assigned_by_type_check check (assigned_by_type in ('user', 'agent')),
    constraint idea_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint idea_version_check check (version >= 1),
    constraint idea_assignee_pair_check check ((assignee_type is null) = (assignee_id is null)),
    constraint idea_assigned_at_pair_check check ((assignee_id is null) = (assigned_at is null)),
    constraint idea_assigned_by_pair_check check ((assigned_by_type is null) = (assigned_by_id is null)),
    constraint idea_assigned_by_whom_check check (assigned_by_id is null or assignee_id is not null),
    constraint idea_own_parent_check check (parent_id <> id)
);
create index idea_project_id_created_at_id_idx on idea (project_id, created_at desc, id desc);
create index idea_project_id_status_created_at_id_idx on idea (project_id, status, created_at desc, id desc);
create index idea_assignee_type_assignee_id_updated_at_id_idx on idea (assignee_type, assignee_id, updated_at desc, id desc);
create index idea_parent_id_created_at_id_idx on idea (parent_id, created_at desc, id desc);

-- Rounds of questions about an idea.
create table elaboration_round (
    id uuid not null,
    company_id uuid not null,
    idea_id uuid not null,
    number integer not null,
    status text not null default 'pending_answers',
    is_appended boolean not null default false,
    created_by_type text not null,
    created_by_id uuid not null,
    created_at timestamptz not null,
    constraint elaboration_round_pkey primary key (id),
    constraint elaboration_round_idea_id_number_key unique (idea_id, number),
    constraint elaboration_round_idea_id_fkey foreign key (idea_id) references idea (id) on delete cascade,
    constraint elaboration_round_number_check check (number between 1 and 10),
    constraint elaboration_round_status_check check (status in ('pending_answers', 'answered')),
    constraint elaboration_round_created_by_type_check check (created_by_type in ('user', 'agent'))
);

-- Questions of a round, in the order of `position`; `name` is the id that their author gave them.
create table elaboration_question (
    id uuid not null,
    round_id uuid not null,
    position integer not null,
    name text not null,
    text text not null,
    category text not null,
    options jsonb not null,
    required boolean not null default true,
    selected_option_id text,
    custom_text text,
    answered_at timestamptz,
    answered_by_type text,
    answered_by_id uuid,
    constraint elaboration_question_pkey primary key (id),
    constraint elaboration_question_round_id_name_key unique (round_id, name),
    constraint elaboration_question_round_id_position_key unique (round_id, position),
    constraint elaboration_question_round_id_fkey foreign key (round_id) references elaboration_round (id) on delete cascade,
    constraint elaboration_question_position_check check (position >= 0),
    constraint elaboration_question_name_check check (trim(name) <> ''),
    constraint elaboration_question_text_check check (trim(text) <> ''),
    constraint elaboration_question_category_check check (category in ('functional', 'non_functional', 'business_context', 'technical_context', 'user_scenario', 'scope')),
    constraint elaboration_question_options_check check (jsonb_typeof(options) = 'array'),
    constraint elaboration_question_answered_by_type_check check (answered_by_type in ('user', 'agent')),
    constraint elaboration_question_answered_by_pair_check check ((answered_by_type is null) = (answered_by_id is null)),
    constraint elaboration_question_answered_at_pair_check check ((answered_at is null) = (answered_by_id is null))
);

-- Proposals; their inputs and drafts are rows of their own.
create table proposal (
    id uuid not null,
    company_id uuid not null,
    project_id uuid not null,
    title text not null,
    description text,
    input_type text not null,
    status text not null default 'draft',
    created_by_type text not null,
    created_by_id uuid not null,
    reviewed_by_type text,
    reviewed_by_id uuid,
    review_note text,
    reviewed_at timestamptz,
    version integer not null default 1,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint proposal_pkey primary key (id),
    constraint proposal_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint proposal_title_check check (trim(title) <> ''),
    constraint proposal_input_type_check check (input_type in ('idea', 'document')),
    constraint proposal_status_check check (status in ('draft', 'pending', 'approved', 'closed')),
    constraint proposal_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint proposal_reviewed_by_type_check check (reviewed_by_type in ('user', 'agent')),
    constraint proposal_version_check check (version >= 1),
    constraint proposal_reviewed_by_pair_check check ((reviewed_by_type is null) = (reviewed_by_id is null)),
    constraint proposal_reviewed_at_pair_check check ((reviewed_at is null) = (reviewed_by_id is null))
);
create index proposal_project_id_created_at_id_idx on proposal (project_id, created_at desc, id desc);
create index proposal_project_id_status_created_at_id_idx on proposal (project_id, status, created_at desc, id desc);

-- Sources of a proposal in the order given. They may outlive or precede what they name, hence no foreign key.
create table proposal_input (
    proposal_id uuid not null,
    position integer not null,
    input_id uuid not null,
    constraint proposal_input_proposal_id_position_key primary key (proposal_id, position),
    constraint proposal_input_proposal_id_input_id_key unique (proposal_id, input_id),
    constraint proposal_input_proposal_id_fkey foreign key (proposal_id) references proposal (id) on delete cascade,
    constraint proposal_input_position_check check (position >= 0)
);
create index proposal_input_input_id_idx on proposal_input (input_id);

-- Drafts of documents inside a proposal.
create table document_draft (
    id uuid not null,
    proposal_id uuid not null,
    position integer not null,
    kind text not null,
    title text not null,
    content text not null,
    constraint document_draft_pkey primary key (id),
    constraint document_draft_proposal_id_position_key unique (proposal_id, position),
    constraint document_draft_proposal_id_fkey foreign key (proposal_id) references proposal (id) on delete cascade,
    constraint document_draft_position_check check (position >= 0),
    constraint document_draft_kind_check check (kind in ('prd', 'tech_design', 'adr', 'spec', 'guide', 'report')),
    constraint document_draft_title_check check (trim(title) <> '')
);

-- Drafts of tasks inside a proposal. `criteria` are objects, `depends_on` ids of sibling drafts.
create table task_draft (
    id uuid not null,
    proposal_id uuid not null,
    position integer not null,
    title text not null,
    description text,
    priority text,
    story_points double precision,
    criteria jsonb not null default '[]',
    depends_on jsonb not null default '[]',
    constraint task_draft_pkey primary key (id),
    constraint task_draft_proposal_id_position_key unique (proposal_id, position),
    constraint task_draft_proposal_id_fkey foreign key (proposal_id) references proposal (id) on delete cascade,
    constraint task_draft_position_check check (position >= 0),
    constraint task_draft_title_check check (trim(title) <> ''),
    constraint task_draft_priority_check check (priority in ('low', 'medium', 'high')),
    constraint task_draft_story_points_check check (story_points between 0 and 1000),
    constraint task_draft_criteria_check check (jsonb_typeof(criteria) = 'array'),
    constraint task_draft_depends_on_check check (jsonb_typeof(depends_on) = 'array')
);

-- Documents. `proposal_id` may outlive its proposal, hence no foreign key.
create table document (
    id uuid not null,
    company_id uuid not null,
    project_id uuid not null,
    kind text not null,
    title text not null,
    content text,
    proposal_id uuid,
    created_by_type text not null,
    created_by_id uuid not null,
    version integer not null default 1,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint document_pkey primary key (id),
    constraint document_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint document_kind_check check (kind in ('prd', 'tech_design', 'adr', 'spec', 'guide', 'report')),
    constraint document_title_check check (trim(title) <> ''),
    constraint document_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint document_version_check check (version >= 1)
);
create index document_project_id_updated_at_id_idx on document (project_id, updated_at desc, id desc);
create index document_project_id_kind_updated_at_id_idx on document (project_id, kind, updated_at desc, id desc);
create index document_proposal_id_created_at_id_idx on document (proposal_id, created_at desc, id desc);

-- What a document said before each change.
create table document_version (
    document_id uuid not null,
    version integer not null,
    title text not null,
    content text,
    created_by_type text not null,
    created_by_id uuid not null,
    created_at timestamptz not null,
    constraint document_version_document_id_version_key primary key (document_id, version),
    constraint document_version_document_id_fkey foreign key (document_id) references document (id) on delete cascade,
    constraint document_version_version_check check (version >= 1),
    constraint document_version_created_by_type_check check (created_by_type in ('user', 'agent'))
);

-- Tasks. `priority_rank` is the sort key of `priority`. `proposal_id` may outlive its
-- proposal, hence no foreign key.
create table task (
    id uuid not null,
    company_id uuid not null,
    project_id uuid not null,
    title text not null,
    description text,
    status text not null default 'open',
    priority text not null default 'medium',
    priority_rank smallint not null generated always as (case priority when 'high' then 0 when 'medium' then 1 else 2 end) stored,
    story_points double precision,
    assignee_type text,
    assignee_id uuid,
    assigned_at timestamptz,
    assigned_by_type text,
    assigned_by_id uuid,
    proposal_id uuid,
    created_by_type text not null,
    created_by_id uuid not null,
    version integer not null default 1,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint task_pkey primary key (id),
    constraint task_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint task_title_check check (trim(title) <> ''),
    constraint task_status_check check (status in ('open', 'assigned', 'in_progress', 'to_verify', 'done', 'closed')),
    constraint task_priority_check check (priority in ('low', 'medium', 'high')),
    constraint task_story_points_check check (story_points between 0 and 1000),
    constraint task_assignee_type_check check (assignee_type in ('user', 'agent')),
    constraint task_assigned_by_type_check check (assigned_by_type in ('user', 'agent')),
    constraint task_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint task_version_check check (version >= 1),
    constraint task_assignee_pair_check check ((assignee_type is null) = (assignee_id is null)),
    constraint task_assigned_at_pair_check check ((assignee_id is null) = (assigned_at is null)),
    constraint task_assigned_by_pair_check check ((assigned_by_type is null) = (assigned_by_id is null)),
    constraint task_assigned_by_whom_check check (assigned_by_id is null or assignee_id is not null)
);
create index task_project_id_priority_rank_created_at_id_idx on task (project_id, priority_rank, created_at desc, id desc);
create index task_project_id_status_priority_rank_created_at_id_idx on task (project_id, status, priority_rank, created_at desc, id desc);
create index task_assignee_rank_assigned_at_id_idx on task (assignee_type, assignee_id, priority_rank, assigned_at desc, id desc);
create index task_proposal_id_priority_rank_created_at_id_idx on task (proposal_id, priority_rank, created_at desc, id desc);

-- `task_id` waits for `depends_on_id`.
create table task_dependency (
    task_id uuid not null,
    depends_on_id uuid not null,
    constraint task_dependency_task_id_depends_on_id_key primary key (task_id, depends_on_id),
    constraint task_dependency_task_id_fkey foreign key (task_id) references task (id) on delete cascade,
    constraint task_dependency_depends_on_id_fkey foreign key (depends_on_id) references task (id) on delete cascade,
    constraint task_dependency_itself_check check (task_id <> depends_on_id)
);
create index task_dependency_depends_on_id_idx on task_dependency (depends_on_id);

-- Acceptance criteria with two independent marks: the assignee's own (`dev_`) and the verdict.
create table acceptance_criterion (
    id uuid not null,
    task_id uuid not null,
    position integer not null default 0,
    description text not null,
    required boolean not null default true,
    dev_status text not null default 'pending',
    dev_evidence text,
    dev_marked_by_type text,
    dev_marked_by_id uuid,
    dev_marked_at timestamptz,
    status text not null default 'pending',
    evidence text,
    marked_by_type text,
    marked_by_id uuid,
    marked_at timestamptz,
    constraint acceptance_criterion_pkey primary key (id),
    constraint acceptance_criterion_task_id_fkey foreign key (task_id) references task (id) on delete cascade,
    constraint acceptance_criterion_position_check check (position >= 0),
    constraint acceptance_criterion_description_check check (trim(description) <> ''),
    constraint acceptance_criterion_dev_status_check check (dev_status in ('pending', 'passed', 'failed')),
    constraint acceptance_criterion_dev_marked_by_type_check check (dev_marked_by_type in ('user', 'agent')),
    constraint acceptance_criterion_status_check check (status in ('pending', 'passed', 'failed')),
    constraint acceptance_criterion_marked_by_type_check check (marked_by_type in ('user', 'agent')),
    constraint acceptance_criterion_dev_marked_by_pair_check check ((dev_marked_by_type is null) = (dev_marked_by_id is null)),
    constraint acceptance_criterion_dev_marked_at_pair_check check ((dev_marked_at is null) = (dev_marked_by_id is null)),
    constraint acceptance_criterion_marked_by_pair_check check ((marked_by_type is null) = (marked_by_id is null)),
    constraint acceptance_criterion_marked_at_pair_check check ((marked_at is null) = (marked_by_id is null))
);
create index acceptance_criterion_task_id_position_id_idx on acceptance_criterion (task_id, position, id);

-- Comments. `project_group` is for the protected log of a group, which no list shows.
create table comment (
    id uuid not null,
    company_id uuid not null,
    target_type text not null,
    target_id uuid not null,
    content text not null,
    author_type text not null,
    author_id uuid not null,
    created_at timestamptz not null,
    constraint comment_pkey primary key (id),
    constraint comment_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint comment_target_type_check check (target_type in ('idea', 'proposal', 'document', 'task', 'project_group')),
    constraint comment_content_check check (trim(content) <> ''),
    constraint comment_author_type_check check (author_type in ('user', 'agent'))
);
create index comment_target_type_target_id_created_at_id_idx on comment (target_type, target_id, created_at, id);
create index comment_company_id_idx on comment (company_id);

-- Links to evidence outside.
create table reference_artifact (
    id uuid not null,
    company_id uuid not null,
    target_type text not null,
    target_id uuid not null,
    kind text not null,
    url text not null,
    title text not null,
    notes text,
    created_by_type text not null,
    created_by_id uuid not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint reference_artifact_pkey primary key (id),
    constraint reference_artifact_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint reference_artifact_target_type_check check (target_type in ('idea', 'proposal', 'task')),
    constraint reference_artifact_kind_check check (kind in ('docs', 'repo', 'issue_pr', 'paper_blog')),
    constraint reference_artifact_url_check check (trim(url) <> ''),
    constraint reference_artifact_title_check check (trim(title) <> ''),
    constraint reference_artifact_created_by_type_check check (created_by_type in ('user', 'agent'))
);
create index reference_artifact_target_type_target_id_created_at_id_idx on reference_artifact (target_type, target_id, created_at, id);
create index reference_artifact_company_id_idx on reference_artifact (company_id);

-- What happened in a project. Rows never change, except their project when an idea moves; `target_title` is the title
-- as it was, so that the entry outlives its target.
create table activity (
    id uuid not null,
    company_id uuid not null,
    project_id uuid not null,
    target_type text not null,
    target_id uuid not null,
    target_title text not null,
    actor_type text not null,
    actor_id uuid not null,
    action text not null,
    value jsonb,
    session_id uuid,
    session_name text,
    created_at timestamptz not null,
    constraint activity_pkey primary key (id),
    constraint activity_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint activity_target_type_check check (target_type in ('project', 'project_group', 'idea', 'proposal', 'document', 'task', 'comment', 'reference', 'session', 'notification', 'agent', 'user', 'key', 'round')),
    constraint activity_actor_type_check check (actor_type in ('user', 'agent', 'operator')),
    constraint activity_session_check check (session_name is null or session_id is not null)
);
create index activity_project_id_created_at_id_idx on activity (project_id, created_at desc, id desc);
create index activity_target_type_target_id_created_at_id_idx on activity (target_type, target_id, created_at desc, id desc);

-- Named workers of an agent.
create table agent_session (
    id uuid not null,
    company_id uuid not null,
    agent_id uuid not null,
    name text not null,
    description text,
    status text not null default 'active',
    last_active_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint agent_session_pkey primary key (id),
    constraint agent_session_agent_id_fkey foreign key (agent_id) references agent (id) on delete cascade,
    constraint agent_session_name_check check (trim(name) <> ''),
    constraint agent_session_status_check check (status in ('active', 'closed'))
);
create index agent_session_agent_id_created_at_id_idx on agent_session (agent_id, created_at desc, id desc);
create index agent_session_company_id_status_last_active_at_idx on agent_session (company_id, status, last_active_at);

-- Which session works, or worked, on which task.
create table session_checkin (
    id uuid not null,
    session_id uuid not null,
    task_id uuid not null,
    checkin_at timestamptz not null,
    checkout_at timestamptz,
    constraint session_checkin_pkey primary key (id),
    constraint session_checkin_session_id_task_id_key unique (session_id, task_id),
    constraint session_checkin_session_id_fkey foreign key (session_id) references agent_session (id) on delete cascade,
    constraint session_checkin_task_id_fkey foreign key (task_id) references task (id) on delete cascade
);
create index session_checkin_task_id_idx on session_checkin (task_id);

-- What somebody should know. Names and titles are copies; `count` says how many were joined in this one. Where `joins`,
-- an unread one takes in the next of the same recipient, entity and action: a unique index sees to it.
create table notification (
    id uuid not null,
    company_id uuid not null,
    project_id uuid,
    project_name text not null default '',
    recipient_type text not null,
    recipient_id uuid not null,
    entity_type text not null,
    entity_id uuid not null,
    entity_title text not null,
    action text not null,
    joins boolean not null,
    message text not null,
    actor_type text not null,
    actor_id uuid not null,
    actor_name text not null,
    count integer not null default 1,
    read_at timestamptz,
    archived_at timestamptz,
    created_at timestamptz not null,
    constraint notification_pkey primary key (id),
    constraint notification_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint notification_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint notification_recipient_type_check check (recipient_type in ('user', 'agent')),
    constraint notification_entity_type_check check (entity_type in ('project', 'project_group', 'idea', 'proposal', 'document', 'task', 'comment', 'reference', 'session', 'notification', 'agent', 'user', 'key', 'round')),
    constraint notification_actor_type_check check (actor_type in ('user', 'agent', 'operator')),
    constraint notification_count_check check (count >= 1)
);
create index notification_recipient_type_recipient_id_created_at_id_idx on notification (recipient_type, recipient_id, created_at desc, id desc);
create index notification_unread_idx on notification (recipient_type, recipient_id, created_at desc, id desc) where read_at is null and archived_at is null;
create unique index notification_join_idx on notification (recipient_type, recipient_id, entity_type, entity_id, action) where read_at is null and archived_at is null and joins;
create index notification_entity_type_entity_id_idx on notification (entity_type, entity_id);
create index notification_project_id_idx on notification (project_id);
create index notification_company_id_idx on notification (company_id);

-- Which notifications somebody wants; no row means all.
create table notification_preference (
    owner_type text not null,
    owner_id uuid not null,
    company_id uuid not null,
    task_assigned boolean not null default true,
    task_status_changed boolean not null default true,
    task_verified boolean not null default true,
    task_reopened boolean not null default true,
    proposal_submitted boolean not null default true,
    proposal_approved boolean not null default true,
    proposal_rejected boolean not null default true,
    idea_claimed boolean not null default true,
    comment_added boolean not null default true,
    elaboration_requested boolean not null default true,
    elaboration_answered boolean not null default true,
    mentioned boolean not null default true,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint notification_preference_owner_type_owner_id_key primary key (owner_type, owner_id),
    constraint notification_preference_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint notification_preference_owner_type_check check (owner_type in ('user', 'agent'))
);
create index notification_preference_company_id_idx on notification_preference (company_id);

-- Who was mentioned where.
create table mention (
    id uuid not null,
    company_id uuid not null,
    source_type text not null,
    source_id uuid not null,
    mentioned_type text not null,
    mentioned_id uuid not null,
    actor_type text not null,
    actor_id uuid not null,
    created_at timestamptz not null,
    constraint mention_pkey primary key (id),
    constraint mention_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint mention_source_type_check check (source_type in ('comment', 'task', 'idea')),
    constraint mention_mentioned_type_check check (mentioned_type in ('user', 'agent')),
    constraint mention_actor_type_check check (actor_type in ('user', 'agent', 'operator'))
);
create index mention_mentioned_type_mentioned_id_created_at_id_idx on mention (mentioned_type, mentioned_id, created_at desc, id desc);
create index mention_source_type_source_id_idx on mention (source_type, source_id);
create index mention_company_id_idx on mention (company_id);

-- When a user last looked at a project, and whether it is pinned.
create table project_visit (
    user_id uuid not null,
    project_id uuid not null,
    last_visited_at timestamptz not null,
    pinned_at timestamptz,
    constraint project_visit_user_id_project_id_key primary key (user_id, project_id),
    constraint project_visit_user_id_fkey foreign key (user_id) references app_user (id) on delete cascade,
    constraint project_visit_project_id_fkey foreign key (project_id) references project (id) on delete cascade
);
create index project_visit_project_id_idx on project_visit (project_id);
create index project_visit_user_id_last_visited_at_idx on project_visit (user_id, last_visited_at desc);

-- Changes for streams; `seq` counts the events of one entity without gaps. Events outlive what they are about.
create table event (
    id uuid not null,
    company_id uuid not null,
    project_id uuid,
    entity_type text not null,
    entity_id uuid not null,
    seq bigint not null,
    action text not null,
    actor_type text not null,
    actor_id uuid not null,
    created_at timestamptz not null,
    constraint event_pkey primary key (id),
    constraint event_entity_type_entity_id_seq_key unique (entity_type, entity_id, seq),
    constraint event_entity_type_check check (entity_type in ('project', 'project_group', 'idea', 'proposal', 'document', 'task', 'comment', 'reference', 'session', 'notification', 'agent', 'user', 'key', 'round')),
    constraint event_seq_check check (seq >= 1),
    constraint event_action_check check (action in ('created', 'updated', 'deleted')),
    constraint event_actor_type_check check (actor_type in ('user', 'agent', 'operator'))
);
create index event_company_id_created_at_id_idx on event (company_id, created_at, id);
create index event_project_id_created_at_id_idx on event (project_id, created_at, id);

-- Who asked for what, and how it ended. No foreign keys: the log outlives everything.
create table audit (
    id uuid not null,
    company_id uuid,
    subject_type text not null,
    subject_id uuid not null,
    via text not null,
    surface text not null,
    operation text not null,
    outcome text not null,
    entities jsonb not null default '[]',
    created_at timestamptz not null,
    constraint audit_pkey primary key (id),
    constraint audit_subject_type_check check (subject_type in ('user', 'agent', 'operator')),
    constraint audit_via_check check (via in ('key', 'browser', 'token', 'command_line')),
    constraint audit_entities_check check (jsonb_typeof(entities) = 'array')
);
create index audit_company_id_created_at_id_idx on audit (company_id, created_at desc, id desc);

-- First answers by key. Inserted before the write, so that a simultaneous twin waits here; `answer` is null until the
-- write is done. `answer` is the JSON text itself, since a replay repeats it to the byte.
create table idempotency (
    caller uuid not null,
    surface text not null,
    tool text not null,
    key text not null,
    fingerprint text not null,
    answer text,
    projects jsonb not null default '[]',
    created_at timestamptz not null,
    constraint idempotency_caller_surface_tool_key_key primary key (caller, surface, tool, key),
    constraint idempotency_projects_check check (jsonb_typeof(projects) = 'array')
);
create index idempotency_created_at_idx on idempotency (created_at);
