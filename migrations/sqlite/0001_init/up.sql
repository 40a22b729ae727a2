-- The first schema. `migrations/postgres` holds the same one and explains it; a test compares the two.
--
-- Ids are BLOBs of 16 bytes, times whole microseconds since 1970 (UTC), booleans 0 or 1, JSON is text.

-- Tenants. The first run makes one.
create table company (
    id blob not null,
    name text not null,
    created_at integer not null,
    constraint company_pkey primary key (id),
    constraint company_id_check check (length(id) = 16),
    constraint company_name_check check (trim(name) <> '')
) strict;

-- People (`user` is a reserved word). `email_key` is the address folded to lower case: unique without case.
create table app_user (
    id blob not null,
    company_id blob not null,
    oidc_sub text,
    email text,
    email_key text,
    name text,
    avatar_url text,
    password_hash text,
    created_at integer not null,
    constraint app_user_pkey primary key (id),
    constraint app_user_company_id_oidc_sub_key unique (company_id, oidc_sub),
    constraint app_user_company_id_email_key_key unique (company_id, email_key),
    constraint app_user_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint app_user_id_check check (length(id) = 16),
    constraint app_user_company_id_check check (length(company_id) = 16),
    constraint app_user_email_key_pair_check check ((email is null) = (email_key is null))
) strict;
create index app_user_company_id_created_at_id_idx on app_user (company_id, created_at, id);

-- Programs. Presets (`roles`) and single bits (`permissions`) are stored as names; without an owner an agent reaches
-- public projects only.
create table agent (
    id blob not null,
    company_id blob not null,
    name text not null,
    roles text not null default '[]',
    permissions text not null default '[]',
    persona text,
    system_prompt text,
    owner_id blob,
    last_active_at integer,
    created_at integer not null,
    constraint agent_pkey primary key (id),
    constraint agent_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint agent_owner_id_fkey foreign key (owner_id) references app_user (id) on delete restrict,
    constraint agent_id_check check (length(id) = 16),
    constraint agent_company_id_check check (length(company_id) = 16),
    constraint agent_name_check check (trim(name) <> ''),
    constraint agent_roles_check check (json_type(roles) = 'array'),
    constraint agent_permissions_check check (json_type(permissions) = 'array'),
    constraint agent_owner_id_check check (length(owner_id) = 16)
) strict;
create index agent_company_id_created_at_id_idx on agent (company_id, created_at desc, id desc);
create index agent_owner_id_created_at_id_idx on agent (owner_id, created_at desc, id desc);

-- What agents were called that were removed: finished work, comments and activities go on naming them.
create table former_agent (
    id blob not null,
    company_id blob not null,
    name text not null,
    removed_at integer not null,
    constraint former_agent_pkey primary key (id),
    constraint former_agent_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint former_agent_id_check check (length(id) = 16),
    constraint former_agent_company_id_check check (length(company_id) = 16),
    constraint former_agent_name_check check (trim(name) <> '')
) strict;
create index former_agent_company_id_idx on former_agent (company_id);

-- Keys of agents: only the hash is kept.
create table api_key (
    id blob not null,
    company_id blob not null,
    agent_id blob not null,
    key_hash text not null,
    key_prefix text not null,
    name text,
    last_used_at integer,
    expires_at integer,
    revoked_at integer,
    created_at integer not null,
    constraint api_key_pkey primary key (id),
    constraint api_key_key_hash_key unique (key_hash),
    constraint api_key_agent_id_fkey foreign key (agent_id) references agent (id) on delete cascade,
    constraint api_key_id_check check (length(id) = 16),
    constraint api_key_company_id_check check (length(company_id) = 16),
    constraint api_key_agent_id_check check (length(agent_id) = 16)
) strict;
create index api_key_agent_id_created_at_id_idx on api_key (agent_id, created_at desc, id desc);
create index api_key_company_id_created_at_id_idx on api_key (company_id, created_at desc, id desc);

-- Groups of projects. `access_version` rises with every change that concerns access.
create table project_group (
    id blob not null,
    company_id blob not null,
    name text not null,
    description text not null default '',
    visibility text not null default 'public',
    created_by_type text,
    created_by_id blob,
    access_version integer not null default 0,
    created_at integer not null,
    updated_at integer not null,
    constraint project_group_pkey primary key (id),
    constraint project_group_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint project_group_id_check check (length(id) = 16),
    constraint project_group_company_id_check check (length(company_id) = 16),
    constraint project_group_name_check check (trim(name) <> ''),
    constraint project_group_visibility_check check (visibility in ('public', 'private')),
    constraint project_group_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint project_group_created_by_id_check check (length(created_by_id) = 16),
    constraint project_group_created_by_pair_check check ((created_by_type is null) = (created_by_id is null))
) strict;
create index project_group_company_id_created_at_id_idx on project_group (company_id, created_at, id);

-- Explicit roles of users in groups.
create table group_member (
    group_id blob not null,
    user_id blob not null,
    role text not null,
    added_by_type text,
    added_by_id blob,
    created_at integer not null,
    constraint group_member_group_id_user_id_key primary key (group_id, user_id),
    constraint group_member_group_id_fkey foreign key (group_id) references project_group (id) on delete cascade,
    constraint group_member_user_id_fkey foreign key (user_id) references app_user (id) on delete cascade,
    constraint group_member_group_id_check check (length(group_id) = 16),
    constraint group_member_user_id_check check (length(user_id) = 16),
    constraint group_member_role_check check (role in ('viewer', 'editor', 'admin')),
    constraint group_member_added_by_type_check check (added_by_type in ('user', 'agent')),
    constraint group_member_added_by_id_check check (length(added_by_id) = 16),
    constraint group_member_added_by_pair_check check ((added_by_type is null) = (added_by_id is null))
) strict, without rowid;
create index group_member_user_id_idx on group_member (user_id);

-- Projects. Their group may not go before them.
create table project (
    id blob not null,
    company_id blob not null,
    name text not null,
    description text,
    group_id blob,
    visibility text not null default 'public',
    created_by_type text,
    created_by_id blob,
    created_at integer not null,
    updated_at integer not null,
    constraint project_pkey primary key (id),
    constraint project_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint project_group_id_fkey foreign key (group_id) references project_group (id) on delete restrict,
    constraint project_id_check check (length(id) = 16),
    constraint project_company_id_check check (length(company_id) = 16),
    constraint project_name_check check (trim(name) <> ''),
    constraint project_group_id_check check (length(group_id) = 16),
    constraint project_visibility_check check (visibility in ('public', 'private')),
    constraint project_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint project_created_by_id_check check (length(created_by_id) = 16),
    constraint project_created_by_pair_check check ((created_by_type is null) = (created_by_id is null))
) strict;
create index project_company_id_updated_at_id_idx on project (company_id, updated_at desc, id desc);
create index project_group_id_updated_at_id_idx on project (group_id, updated_at desc, id desc);

-- Local roles of users in projects.
create table project_member (
    project_id blob not null,
    user_id blob not null,
    role text not null,
    added_by_type text,
    added_by_id blob,
    created_at integer not null,
    constraint project_member_project_id_user_id_key primary key (project_id, user_id),
    constraint project_member_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint project_member_user_id_fkey foreign key (user_id) references app_user (id) on delete cascade,
    constraint project_member_project_id_check check (length(project_id) = 16),
    constraint project_member_user_id_check check (length(user_id) = 16),
    constraint project_member_role_check check (role in ('viewer', 'editor', 'admin')),
    constraint project_member_added_by_type_check check (added_by_type in ('user', 'agent')),
    constraint project_member_added_by_id_check check (length(added_by_id) = 16),
    constraint project_member_added_by_pair_check check ((added_by_type is null) = (added_by_id is null))
) strict, without rowid;
create index project_member_user_id_idx on project_member (user_id);

-- Ideas. A parent that goes leaves its children behind as roots.
create table idea (
    id blob not null,
    company_id blob not null,
    project_id blob not null,
    title text not null,
    content text,
    status text not null default 'open',
    elaboration_depth text,
    elaboration_status text,
    parent_id blob,
    is_container integer not null default 0,
    assignee_type text,
    assignee_id blob,
    assigned_at integer,
    assigned_by_type text,
    assigned_by_id blob,
    created_by_type text not null,
    created_by_id blob not null,
    version integer not null default 1,
    created_at integer not null,
    updated_at integer not null,
    constraint idea_pkey primary key (id),
    constraint idea_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint idea_parent_id_fkey foreign key (parent_id) references idea (id) on delete set null,
    constraint idea_id_check check (length(id) = 16),
    constraint idea_company_id_check check (length(company_id) = 16),
    constraint idea_project_id_check check (length(project_id) = 16),
    constraint idea_title_check check (trim(title) <> ''),
    constraint idea_status_check check (status in ('open', 'elaborating', 'elaborated')),
    constraint idea_elaboration_depth_check check (elaboration_depth in ('minimal', 'standard', 'comprehensive')),
    constraint idea_elaboration_status_check check (elaboration_status in ('pending_answers', 'validating', 'resolved')),
    constraint idea_parent_id_check check (length(parent_id) = 16),
    constraint idea_is_container_check check (is_container in (0, 1)),
    constraint idea_assignee_type_check check (assignee_type in ('user', 'agent')),
    constraint idea_assignee_id_check check (length(assignee_id) = 16),
    constraint idea_assigned_by_type_check check (assigned_by_type in ('user', 'agent')),
    constraint idea_assigned_by_id_check check (length(assigned_by_id) = 16),
    constraint idea_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint idea_created_by_id_check check (length(created_by_id) = 16),
    constraint idea_version_check check (version >= 1),
    constraint idea_assignee_pair_check check ((assignee_type is null) = (assignee_id is null)),
    constraint idea_assigned_at_pair_check check ((assignee_id is null) = (assigned_at is null)),
    constraint idea_assigned_by_pair_check check ((assigned_by_type is null) = (assigned_by_id is null)),
    constraint idea_assigned_by_whom_check check (assigned_by_id is null or assignee_id is not null),
    constraint idea_own_parent_check check (parent_id <> id)
) strict;
create index idea_project_id_created_at_id_idx on idea (project_id, created_at desc, id desc);
create index idea_project_id_status_created_at_id_idx on idea (project_id, status, created_at desc, id desc);
create index idea_assignee_type_assignee_id_updated_at_id_idx on idea (assignee_type, assignee_id, updated_at desc, id desc);
create index idea_parent_id_created_at_id_idx on idea (parent_id, created_at desc, id desc);

-- Rounds of questions about an idea.
create table elaboration_round (
    id blob not null,
    company_id blob not null,
    idea_id blob not null,
    number integer not null,
    status text not null default 'pending_answers',
    is_appended integer not null default 0,
    created_by_type text not null,
    created_by_id blob not null,
    created_at integer not null,
    constraint elaboration_round_pkey primary key (id),
    constraint elaboration_round_idea_id_number_key unique (idea_id, number),
    constraint elaboration_round_idea_id_fkey foreign key (idea_id) references idea (id) on delete cascade,
    constraint elaboration_round_id_check check (length(id) = 16),
    constraint elaboration_round_company_id_check check (length(company_id) = 16),
    constraint elaboration_round_idea_id_check check (length(idea_id) = 16),
    constraint elaboration_round_number_check check (number between 1 and 10),
    constraint elaboration_round_status_check check (status in ('pending_answers', 'answered')),
    constraint elaboration_round_is_appended_check check (is_appended in (0, 1)),
    constraint elaboration_round_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint elaboration_round_created_by_id_check check (length(created_by_id) = 16)
) strict;

-- Questions of a round, in the order of `position`; `name` is the id that their author gave them.
create table elaboration_question (
    id blob not null,
    round_id blob not null,
    position integer not null,
    name text not null,
    text text not null,
    category text not null,
    options text not null,
    required integer not null default 1,
    selected_option_id text,
    custom_text text,
    answered_at integer,
    answered_by_type text,
    answered_by_id blob,
    constraint elaboration_question_pkey primary key (id),
    constraint elaboration_question_round_id_name_key unique (round_id, name),
    constraint elaboration_question_round_id_position_key unique (round_id, position),
    constraint elaboration_question_round_id_fkey foreign key (round_id) references elaboration_round (id) on delete cascade,
    constraint elaboration_question_id_check check (length(id) = 16),
    constraint elaboration_question_round_id_check check (length(round_id) = 16),
    constraint elaboration_question_position_check check (position >= 0),
    constraint elaboration_question_name_check check (trim(name) <> ''),
    constraint elaboration_question_text_check check (trim(text) <> ''),
    constraint elaboration_question_category_check check (category in ('functional', 'non_functional', 'business_context', 'technical_context', 'user_scenario', 'scope')),
    constraint elaboration_question_options_check check (json_type(options) = 'array'),
    constraint elaboration_question_required_check check (required in (0, 1)),
    constraint elaboration_question_answered_by_type_check check (answered_by_type in ('user', 'agent')),
    constraint elaboration_question_answered_by_id_check check (length(answered_by_id) = 16),
    constraint elaboration_question_answered_by_pair_check check ((answered_by_type is null) = (answered_by_id is null)),
    constraint elaboration_question_answered_at_pair_check check ((answered_at is null) = (answered_by_id is null))
) strict;

-- Proposals; their inputs and drafts are rows of their own.
create table proposal (
    id blob not null,
    company_id blob not null,
    project_id blob not null,
    title text not null,
    description text,
    input_type text not null,
    status text not null default 'draft',
    created_by_type text not null,
    created_by_id blob not null,
    reviewed_by_type text,
    reviewed_by_id blob,
    review_note text,
    reviewed_at integer,
    version integer not null default 1,
    created_at integer not null,
    updated_at integer not null,
    constraint proposal_pkey primary key (id),
    constraint proposal_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint proposal_id_check check (length(id) = 16),
    constraint proposal_company_id_check check (length(company_id) = 16),
    constraint proposal_project_id_check check (length(project_id) = 16),
    constraint proposal_title_check check (trim(title) <> ''),
    constraint proposal_input_type_check check (input_type in ('idea', 'document')),
    constraint proposal_status_check check (status in ('draft', 'pending', 'approved', 'closed')),
    constraint proposal_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint proposal_created_by_id_check check (length(created_by_id) = 16),
    constraint proposal_reviewed_by_type_check check (reviewed_by_type in ('user', 'agent')),
    constraint proposal_reviewed_by_id_check check (length(reviewed_by_id) = 16),
    constraint proposal_version_check check (version >= 1),
    constraint proposal_reviewed_by_pair_check check ((reviewed_by_type is null) = (reviewed_by_id is null)),
    constraint proposal_reviewed_at_pair_check check ((reviewed_at is null) = (reviewed_by_id is null))
) strict;
create index proposal_project_id_created_at_id_idx on proposal (project_id, created_at desc, id desc);
create index proposal_project_id_status_created_at_id_idx on proposal (project_id, status, created_at desc, id desc);

-- Sources of a proposal in the order given. They may outlive or precede what they name, hence no foreign key.
create table proposal_input (
    proposal_id blob not null,
    position integer not null,
    input_id blob not null,
    constraint proposal_input_proposal_id_position_key primary key (proposal_id, position),
    constraint proposal_input_proposal_id_input_id_key unique (proposal_id, input_id),
    constraint proposal_input_proposal_id_fkey foreign key (proposal_id) references proposal (id) on delete cascade,
    constraint proposal_input_proposal_id_check check (length(proposal_id) = 16),
    constraint proposal_input_position_check check (position >= 0),
    constraint proposal_input_input_id_check check (length(input_id) = 16)
) strict, without rowid;
create index proposal_input_input_id_idx on proposal_input (input_id);

-- Drafts of documents inside a proposal.
create table document_draft (
    id blob not null,
    proposal_id blob not null,
    position integer not null,
    kind text not null,
    title text not null,
    content text not null,
    constraint document_draft_pkey primary key (id),
    constraint document_draft_proposal_id_position_key unique (proposal_id, position),
    constraint document_draft_proposal_id_fkey foreign key (proposal_id) references proposal (id) on delete cascade,
    constraint document_draft_id_check check (length(id) = 16),
    constraint document_draft_proposal_id_check check (length(proposal_id) = 16),
    constraint document_draft_position_check check (position >= 0),
    constraint document_draft_kind_check check (kind in ('prd', 'tech_design', 'adr', 'spec', 'guide', 'report')),
    constraint document_draft_title_check check (trim(title) <> '')
) strict;

-- Drafts of tasks inside a proposal. `criteria` are objects, `depends_on` ids of sibling drafts.
create table task_draft (
    id blob not null,
    proposal_id blob not null,
    position integer not null,
    title text not null,
    description text,
    priority text,
    story_points real,
    criteria text not null default '[]',
    depends_on text not null default '[]',
    constraint task_draft_pkey primary key (id),
    constraint task_draft_proposal_id_position_key unique (proposal_id, position),
    constraint task_draft_proposal_id_fkey foreign key (proposal_id) references proposal (id) on delete cascade,
    constraint task_draft_id_check check (length(id) = 16),
    constraint task_draft_proposal_id_check check (length(proposal_id) = 16),
    constraint task_draft_position_check check (position >= 0),
    constraint task_draft_title_check check (trim(title) <> ''),
    constraint task_draft_priority_check check (priority in ('low', 'medium', 'high')),
    constraint task_draft_story_points_check check (story_points between 0 and 1000),
    constraint task_draft_criteria_check check (json_type(criteria) = 'array'),
    constraint task_draft_depends_on_check check (json_type(depends_on) = 'array')
) strict;

-- Documents. `proposal_id` may outlive its proposal, hence no foreign key.
create table document (
    id blob not null,
    company_id blob not null,
    project_id blob not null,
    kind text not null,
    title text not null,
    content text,
    proposal_id blob,
    created_by_type text not null,
    created_by_id blob not null,
    version integer not null default 1,
    created_at integer not null,
    updated_at integer not null,
    constraint document_pkey primary key (id),
    constraint document_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint document_id_check check (length(id) = 16),
    constraint document_company_id_check check (length(company_id) = 16),
    constraint document_project_id_check check (length(project_id) = 16),
    constraint document_kind_check check (kind in ('prd', 'tech_design', 'adr', 'spec', 'guide', 'report')),
    constraint document_title_check check (trim(title) <> ''),
    constraint document_proposal_id_check check (length(proposal_id) = 16),
    constraint document_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint document_created_by_id_check check (length(created_by_id) = 16),
    constraint document_version_check check (version >= 1)
) strict;
create index document_project_id_updated_at_id_idx on document (project_id, updated_at desc, id desc);
create index document_project_id_kind_updated_at_id_idx on document (project_id, kind, updated_at desc, id desc);
create index document_proposal_id_created_at_id_idx on document (proposal_id, created_at desc, id desc);

-- What a document said before each change.
create table document_version (
    document_id blob not null,
    version integer not null,
    title text not null,
    content text,
    created_by_type text not null,
    created_by_id blob not null,
    created_at integer not null,
    constraint document_version_document_id_version_key primary key (document_id, version),
    constraint document_version_document_id_fkey foreign key (document_id) references document (id) on delete cascade,
    constraint document_version_document_id_check check (length(document_id) = 16),
    constraint document_version_version_check check (version >= 1),
    constraint document_version_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint document_version_created_by_id_check check (length(created_by_id) = 16)
) strict, without rowid;

-- Tasks. `priority_rank` is the sort key of `priority`. `proposal_id` may outlive its
-- proposal, hence no foreign key.
create table task (
    id blob not null,
    company_id blob not null,
    project_id blob not null,
    title text not null,
    description text,
    status text not null default 'open',
    priority text not null default 'medium',
    priority_rank integer not null generated always as (case priority when 'high' then 0 when 'medium' then 1 else 2 end) stored,
    story_points real,
    assignee_type text,
    assignee_id blob,
    assigned_at integer,
    assigned_by_type text,
    assigned_by_id blob,
    proposal_id blob,
    created_by_type text not null,
    created_by_id blob not null,
    version integer not null default 1,
    created_at integer not null,
    updated_at integer not null,
    constraint task_pkey primary key (id),
    constraint task_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint task_id_check check (length(id) = 16),
    constraint task_company_id_check check (length(company_id) = 16),
    constraint task_project_id_check check (length(project_id) = 16),
    constraint task_title_check check (trim(title) <> ''),
    constraint task_status_check check (status in ('open', 'assigned', 'in_progress', 'to_verify', 'done', 'closed')),
    constraint task_priority_check check (priority in ('low', 'medium', 'high')),
    constraint task_story_points_check check (story_points between 0 and 1000),
    constraint task_assignee_type_check check (assignee_type in ('user', 'agent')),
    constraint task_assignee_id_check check (length(assignee_id) = 16),
    constraint task_assigned_by_type_check check (assigned_by_type in ('user', 'agent')),
    constraint task_assigned_by_id_check check (length(assigned_by_id) = 16),
    constraint task_proposal_id_check check (length(proposal_id) = 16),
    constraint task_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint task_created_by_id_check check (length(created_by_id) = 16),
    constraint task_version_check check (version >= 1),
    constraint task_assignee_pair_check check ((assignee_type is null) = (assignee_id is null)),
    constraint task_assigned_at_pair_check check ((assignee_id is null) = (assigned_at is null)),
    constraint task_assigned_by_pair_check check ((assigned_by_type is null) = (assigned_by_id is null)),
    constraint task_assigned_by_whom_check check (assigned_by_id is null or assignee_id is not null)
) strict;
create index task_project_id_priority_rank_created_at_id_idx on task (project_id, priority_rank, created_at desc, id desc);
create index task_project_id_status_priority_rank_created_at_id_idx on task (project_id, status, priority_rank, created_at desc, id desc);
create index task_assignee_rank_assigned_at_id_idx on task (assignee_type, assignee_id, priority_rank, assigned_at desc, id desc);
create index task_proposal_id_priority_rank_created_at_id_idx on task (proposal_id, priority_rank, created_at desc, id desc);

-- `task_id` waits for `depends_on_id`.
create table task_dependency (
    task_id blob not null,
    depends_on_id blob not null,
    constraint task_dependency_task_id_depends_on_id_key primary key (task_id, depends_on_id),
    constraint task_dependency_task_id_fkey foreign key (task_id) references task (id) on delete cascade,
    constraint task_dependency_depends_on_id_fkey foreign key (depends_on_id) references task (id) on delete cascade,
    constraint task_dependency_task_id_check check (length(task_id) = 16),
    constraint task_dependency_depends_on_id_check check (length(depends_on_id) = 16),
    constraint task_dependency_itself_check check (task_id <> depends_on_id)
) strict, without rowid;
create index task_dependency_depends_on_id_idx on task_dependency (depends_on_id);

-- Acceptance criteria with two independent marks: the assignee's own (`dev_`) and the verdict.
create table acceptance_criterion (
    id blob not null,
    task_id blob not null,
    position integer not null default 0,
    description text not null,
    required integer not null default 1,
    dev_status text not null default 'pending',
    dev_evidence text,
    dev_marked_by_type text,
    dev_marked_by_id blob,
    dev_marked_at integer,
    status text not null default 'pending',
    evidence text,
    marked_by_type text,
    marked_by_id blob,
    marked_at integer,
    constraint acceptance_criterion_pkey primary key (id),
    constraint acceptance_criterion_task_id_fkey foreign key (task_id) references task (id) on delete cascade,
    constraint acceptance_criterion_id_check check (length(id) = 16),
    constraint acceptance_criterion_task_id_check check (length(task_id) = 16),
    constraint acceptance_criterion_position_check check (position >= 0),
    constraint acceptance_criterion_description_check check (trim(description) <> ''),
    constraint acceptance_criterion_required_check check (required in (0, 1)),
    constraint acceptance_criterion_dev_status_check check (dev_status in ('pending', 'passed', 'failed')),
    constraint acceptance_criterion_dev_marked_by_type_check check (dev_marked_by_type in ('user', 'agent')),
    constraint acceptance_criterion_dev_marked_by_id_check check (length(dev_marked_by_id) = 16),
    constraint acceptance_criterion_status_check check (status in ('pending', 'passed', 'failed')),
    constraint acceptance_criterion_marked_by_type_check check (marked_by_type in ('user', 'agent')),
    constraint acceptance_criterion_marked_by_id_check check (length(marked_by_id) = 16),
    constraint acceptance_criterion_dev_marked_by_pair_check check ((dev_marked_by_type is null) = (dev_marked_by_id is null)),
    constraint acceptance_criterion_dev_marked_at_pair_check check ((dev_marked_at is null) = (dev_marked_by_id is null)),
    constraint acceptance_criterion_marked_by_pair_check check ((marked_by_type is null) = (marked_by_id is null)),
    constraint acceptance_criterion_marked_at_pair_check check ((marked_at is null) = (marked_by_id is null))
) strict;
create index acceptance_criterion_task_id_position_id_idx on acceptance_criterion (task_id, position, id);

-- Comments. `project_group` is for the protected log of a group, which no list shows.
create table comment (
    id blob not null,
    company_id blob not null,
    target_type text not null,
    target_id blob not null,
    content text not null,
    author_type text not null,
    author_id blob not null,
    created_at integer not null,
    constraint comment_pkey primary key (id),
    constraint comment_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint comment_id_check check (length(id) = 16),
    constraint comment_company_id_check check (length(company_id) = 16),
    constraint comment_target_type_check check (target_type in ('idea', 'proposal', 'document', 'task', 'project_group')),
    constraint comment_target_id_check check (length(target_id) = 16),
    constraint comment_content_check check (trim(content) <> ''),
    constraint comment_author_type_check check (author_type in ('user', 'agent')),
    constraint comment_author_id_check check (length(author_id) = 16)
) strict;
create index comment_target_type_target_id_created_at_id_idx on comment (target_type, target_id, created_at, id);
create index comment_company_id_idx on comment (company_id);

-- Links to evidence outside.
create table reference_artifact (
    id blob not null,
    company_id blob not null,
    target_type text not null,
    target_id blob not null,
    kind text not null,
    url text not null,
    title text not null,
    notes text,
    created_by_type text not null,
    created_by_id blob not null,
    created_at integer not null,
    updated_at integer not null,
    constraint reference_artifact_pkey primary key (id),
    constraint reference_artifact_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint reference_artifact_id_check check (length(id) = 16),
    constraint reference_artifact_company_id_check check (length(company_id) = 16),
    constraint reference_artifact_target_type_check check (target_type in ('idea', 'proposal', 'task')),
    constraint reference_artifact_target_id_check check (length(target_id) = 16),
    constraint reference_artifact_kind_check check (kind in ('docs', 'repo', 'issue_pr', 'paper_blog')),
    constraint reference_artifact_url_check check (trim(url) <> ''),
    constraint reference_artifact_title_check check (trim(title) <> ''),
    constraint reference_artifact_created_by_type_check check (created_by_type in ('user', 'agent')),
    constraint reference_artifact_created_by_id_check check (length(created_by_id) = 16)
) strict;
create index reference_artifact_target_type_target_id_created_at_id_idx on reference_artifact (target_type, target_id, created_at, id);
create index reference_artifact_company_id_idx on reference_artifact (company_id);

-- What happened in a project. Rows never change, except their project when an idea moves; `target_title` is the title
-- as it was, so that the entry outlives its target.
create table activity (
    id blob not null,
    company_id blob not null,
    project_id blob not null,
    target_type text not null,
    target_id blob not null,
    target_title text not null,
    actor_type text not null,
    actor_id blob not null,
    action text not null,
    value text,
    session_id blob,
    session_name text,
    created_at integer not null,
    constraint activity_pkey primary key (id),
    constraint activity_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint activity_id_check check (length(id) = 16),
    constraint activity_company_id_check check (length(company_id) = 16),
    constraint activity_project_id_check check (length(project_id) = 16),
    constraint activity_target_type_check check (target_type in ('project', 'project_group', 'idea', 'proposal', 'document', 'task', 'comment', 'reference', 'session', 'notification', 'agent', 'user', 'key', 'round')),
    constraint activity_target_id_check check (length(target_id) = 16),
    constraint activity_actor_type_check check (actor_type in ('user', 'agent', 'operator')),
    constraint activity_actor_id_check check (length(actor_id) = 16),
    constraint activity_value_check check (json_valid(value)),
    constraint activity_session_id_check check (length(session_id) = 16),
    constraint activity_session_check check (session_name is null or session_id is not null)
) strict;
create index activity_project_id_created_at_id_idx on activity (project_id, created_at desc, id desc);
create index activity_target_type_target_id_created_at_id_idx on activity (target_type, target_id, created_at desc, id desc);

-- Named workers of an agent.
create table agent_session (
    id blob not null,
    company_id blob not null,
    agent_id blob not null,
    name text not null,
    description text,
    status text not null default 'active',
    last_active_at integer not null,
    created_at integer not null,
    updated_at integer not null,
    constraint agent_session_pkey primary key (id),
    constraint agent_session_agent_id_fkey foreign key (agent_id) references agent (id) on delete cascade,
    constraint agent_session_id_check check (length(id) = 16),
    constraint agent_session_company_id_check check (length(company_id) = 16),
    constraint agent_session_agent_id_check check (length(agent_id) = 16),
    constraint agent_session_name_check check (trim(name) <> ''),
    constraint agent_session_status_check check (status in ('active', 'closed'))
) strict;
create index agent_session_agent_id_created_at_id_idx on agent_session (agent_id, created_at desc, id desc);
create index agent_session_company_id_status_last_active_at_idx on agent_session (company_id, status, last_active_at);

-- Which session works, or worked, on which task.
create table session_checkin (
    id blob not null,
    session_id blob not null,
    task_id blob not null,
    checkin_at integer not null,
    checkout_at integer,
    constraint session_checkin_pkey primary key (id),
    constraint session_checkin_session_id_task_id_key unique (session_id, task_id),
    constraint session_checkin_session_id_fkey foreign key (session_id) references agent_session (id) on delete cascade,
    constraint session_checkin_task_id_fkey foreign key (task_id) references task (id) on delete cascade,
    constraint session_checkin_id_check check (length(id) = 16),
    constraint session_checkin_session_id_check check (length(session_id) = 16),
    constraint session_checkin_task_id_check check (length(task_id) = 16)
) strict;
create index session_checkin_task_id_idx on session_checkin (task_id);

-- What somebody should know. Names and titles are copies; `count` says how many were joined in this one. Where `joins`,
-- an unread one takes in the next of the same recipient, entity and action: a unique index sees to it.
create table notification (
    id blob not null,
    company_id blob not null,
    project_id blob,
    project_name text not null default '',
    recipient_type text not null,
    recipient_id blob not null,
    entity_type text not null,
    entity_id blob not null,
    entity_title text not null,
    action text not null,
    joins integer not null,
    message text not null,
    actor_type text not null,
    actor_id blob not null,
    actor_name text not null,
    count integer not null default 1,
    read_at integer,
    archived_at integer,
    created_at integer not null,
    constraint notification_pkey primary key (id),
    constraint notification_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint notification_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint notification_id_check check (length(id) = 16),
    constraint notification_company_id_check check (length(company_id) = 16),
    constraint notification_project_id_check check (length(project_id) = 16),
    constraint notification_recipient_type_check check (recipient_type in ('user', 'agent')),
    constraint notification_recipient_id_check check (length(recipient_id) = 16),
    constraint notification_entity_type_check check (entity_type in ('project', 'project_group', 'idea', 'proposal', 'document', 'task', 'comment', 'reference', 'session', 'notification', 'agent', 'user', 'key', 'round')),
    constraint notification_entity_id_check check (length(entity_id) = 16),
    constraint notification_actor_type_check check (actor_type in ('user', 'agent', 'operator')),
    constraint notification_actor_id_check check (length(actor_id) = 16),
    constraint notification_joins_check check (joins in (0, 1)),
    constraint notification_count_check check (count >= 1)
) strict;
create index notification_recipient_type_recipient_id_created_at_id_idx on notification (recipient_type, recipient_id, created_at desc, id desc);
create index notification_unread_idx on notification (recipient_type, recipient_id, created_at desc, id desc) where read_at is null and archived_at is null;
create unique index notification_join_idx on notification (recipient_type, recipient_id, entity_type, entity_id, action) where read_at is null and archived_at is null and joins;
create index notification_entity_type_entity_id_idx on notification (entity_type, entity_id);
create index notification_project_id_idx on notification (project_id);
create index notification_company_id_idx on notification (company_id);

-- Which notifications somebody wants; no row means all.
create table notification_preference (
    owner_type text not null,
    owner_id blob not null,
    company_id blob not null,
    task_assigned integer not null default 1,
    task_status_changed integer not null default 1,
    task_verified integer not null default 1,
    task_reopened integer not null default 1,
    proposal_submitted integer not null default 1,
    proposal_approved integer not null default 1,
    proposal_rejected integer not null default 1,
    idea_claimed integer not null default 1,
    comment_added integer not null default 1,
    elaboration_requested integer not null default 1,
    elaboration_answered integer not null default 1,
    mentioned integer not null default 1,
    created_at integer not null,
    updated_at integer not null,
    constraint notification_preference_owner_type_owner_id_key primary key (owner_type, owner_id),
    constraint notification_preference_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint notification_preference_owner_type_check check (owner_type in ('user', 'agent')),
    constraint notification_preference_owner_id_check check (length(owner_id) = 16),
    constraint notification_preference_company_id_check check (length(company_id) = 16),
    constraint notification_preference_task_assigned_check check (task_assigned in (0, 1)),
    constraint notification_preference_task_status_changed_check check (task_status_changed in (0, 1)),
    constraint notification_preference_task_verified_check check (task_verified in (0, 1)),
    constraint notification_preference_task_reopened_check check (task_reopened in (0, 1)),
    constraint notification_preference_proposal_submitted_check check (proposal_submitted in (0, 1)),
    constraint notification_preference_proposal_approved_check check (proposal_approved in (0, 1)),
    constraint notification_preference_proposal_rejected_check check (proposal_rejected in (0, 1)),
    constraint notification_preference_idea_claimed_check check (idea_claimed in (0, 1)),
    constraint notification_preference_comment_added_check check (comment_added in (0, 1)),
    constraint notification_preference_elaboration_requested_check check (elaboration_requested in (0, 1)),
    constraint notification_preference_elaboration_answered_check check (elaboration_answered in (0, 1)),
    constraint notification_preference_mentioned_check check (mentioned in (0, 1))
) strict, without rowid;
create index notification_preference_company_id_idx on notification_preference (company_id);

-- Who was mentioned where.
create table mention (
    id blob not null,
    company_id blob not null,
    source_type text not null,
    source_id blob not null,
    mentioned_type text not null,
    mentioned_id blob not null,
    actor_type text not null,
    actor_id blob not null,
    created_at integer not null,
    constraint mention_pkey primary key (id),
    constraint mention_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint mention_id_check check (length(id) = 16),
    constraint mention_company_id_check check (length(company_id) = 16),
    constraint mention_source_type_check check (source_type in ('comment', 'task', 'idea')),
    constraint mention_source_id_check check (length(source_id) = 16),
    constraint mention_mentioned_type_check check (mentioned_type in ('user', 'agent')),
    constraint mention_mentioned_id_check check (length(mentioned_id) = 16),
    constraint mention_actor_type_check check (actor_type in ('user', 'agent', 'operator')),
    constraint mention_actor_id_check check (length(actor_id) = 16)
) strict;
create index mention_mentioned_type_mentioned_id_created_at_id_idx on mention (mentioned_type, mentioned_id, created_at desc, id desc);
create index mention_source_type_source_id_idx on mention (source_type, source_id);
create index mention_company_id_idx on mention (company_id);

-- When a user last looked at a project, and whether it is pinned.
create table project_visit (
    user_id blob not null,
    project_id blob not null,
    last_visited_at integer not null,
    pinned_at integer,
    constraint project_visit_user_id_project_id_key primary key (user_id, project_id),
    constraint project_visit_user_id_fkey foreign key (user_id) references app_user (id) on delete cascade,
    constraint project_visit_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint project_visit_user_id_check check (length(user_id) = 16),
    constraint project_visit_project_id_check check (length(project_id) = 16)
) strict, without rowid;
create index project_visit_project_id_idx on project_visit (project_id);
create index project_visit_user_id_last_visited_at_idx on project_visit (user_id, last_visited_at desc);

-- Changes for streams; `seq` counts the events of one entity without gaps. Events outlive what they are about.
create table event (
    id blob not null,
    company_id blob not null,
    project_id blob,
    entity_type text not null,
    entity_id blob not null,
    seq integer not null,
    action text not null,
    actor_type text not null,
    actor_id blob not null,
    created_at integer not null,
    constraint event_pkey primary key (id),
    constraint event_entity_type_entity_id_seq_key unique (entity_type, entity_id, seq),
    constraint event_id_check check (length(id) = 16),
    constraint event_company_id_check check (length(company_id) = 16),
    constraint event_project_id_check check (length(project_id) = 16),
    constraint event_entity_type_check check (entity_type in ('project', 'project_group', 'idea', 'proposal', 'document', 'task', 'comment', 'reference', 'session', 'notification', 'agent', 'user', 'key', 'round')),
    constraint event_entity_id_check check (length(entity_id) = 16),
    constraint event_seq_check check (seq >= 1),
    constraint event_action_check check (action in ('created', 'updated', 'deleted')),
    constraint event_actor_type_check check (actor_type in ('user', 'agent', 'operator')),
    constraint event_actor_id_check check (length(actor_id) = 16)
) strict;
create index event_company_id_created_at_id_idx on event (company_id, created_at, id);
create index event_project_id_created_at_id_idx on event (project_id, created_at, id);

-- Who asked for what, and how it ended. No foreign keys: the log outlives everything.
create table audit (
    id blob not null,
    company_id blob,
    subject_type text not null,
    subject_id blob not null,
    via text not null,
    surface text not null,
    operation text not null,
    outcome text not null,
    entities text not null default '[]',
    created_at integer not null,
    constraint audit_pkey primary key (id),
    constraint audit_id_check check (length(id) = 16),
    constraint audit_company_id_check check (length(company_id) = 16),
    constraint audit_subject_type_check check (subject_type in ('user', 'agent', 'operator')),
    constraint audit_subject_id_check check (length(subject_id) = 16),
    constraint audit_via_check check (via in ('key', 'browser', 'token', 'command_line')),
    constraint audit_entities_check check (json_type(entities) = 'array')
) strict;
create index audit_company_id_created_at_id_idx on audit (company_id, created_at desc, id desc);

-- First answers by key. Inserted before the write, so that a simultaneous twin waits here; `answer` is null until the
-- write is done. `answer` is the JSON text itself, since a replay repeats it to the byte.
create table idempotency (
    caller blob not null,
    surface text not null,
    tool text not null,
    key text not null,
    fingerprint text not null,
    answer text,
    projects text not null default '[]',
    created_at integer not null,
    constraint idempotency_caller_surface_tool_key_key primary key (caller, surface, tool, key),
    constraint idempotency_caller_check check (length(caller) = 16),
    constraint idempotency_projects_check check (json_type(projects) = 'array')
) strict, without rowid;
create index idempotency_created_at_idx on idempotency (created_at);
