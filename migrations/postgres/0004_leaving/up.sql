-- Since when somebody is suspended.
alter table app_user add column suspended_at timestamptz;

-- What people were called who were removed: finished work, comments and activities go on naming them.
create table former_user (
    id uuid not null,
    company_id uuid not null,
    name text not null,
    removed_at timestamptz not null,
    constraint former_user_pkey primary key (id),
    constraint former_user_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint former_user_name_check check (trim(name) <> '')
);
create index former_user_company_id_idx on former_user (company_id);

-- Roles of suspended people, kept apart: they count nowhere until their owners are back.
create table parked_group_member (
    group_id uuid not null,
    user_id uuid not null,
    role text not null,
    added_by_type text,
    added_by_id uuid,
    created_at timestamptz not null,
    constraint parked_group_member_group_id_user_id_key primary key (group_id, user_id),
    constraint parked_group_member_group_id_fkey foreign key (group_id) references project_group (id) on delete cascade,
    constraint parked_group_member_user_id_fkey foreign key (user_id) references app_user (id) on delete cascade,
    constraint parked_group_member_role_check check (role in ('viewer', 'editor', 'admin')),
    constraint parked_group_member_added_by_type_check check (added_by_type in ('user', 'agent')),
    constraint parked_group_member_added_by_pair_check check ((added_by_type is null) = (added_by_id is null))
);
create index parked_group_member_user_id_idx on parked_group_member (user_id);

create table parked_project_member (
    project_id uuid not null,
    user_id uuid not null,
    role text not null,
    added_by_type text,
    added_by_id uuid,
    created_at timestamptz not null,
    constraint parked_project_member_project_id_user_id_key primary key (project_id, user_id),
    constraint parked_project_member_project_id_fkey foreign key (project_id) references project (id) on delete cascade,
    constraint parked_project_member_user_id_fkey foreign key (user_id) references app_user (id) on delete cascade,
    constraint parked_project_member_role_check check (role in ('viewer', 'editor', 'admin')),
    constraint parked_project_member_added_by_type_check check (added_by_type in ('user', 'agent')),
    constraint parked_project_member_added_by_pair_check check ((added_by_type is null) = (added_by_id is null))
);
create index parked_project_member_user_id_idx on parked_project_member (user_id);
