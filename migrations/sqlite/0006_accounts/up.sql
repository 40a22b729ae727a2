-- Sessions of people's browsers: only the hash of the token is kept.
create table browser_session (
    id blob not null,
    user_id blob not null,
    token_hash text not null,
    remembered integer not null,
    client text not null,
    created_at integer not null,
    last_seen_at integer not null,
    constraint browser_session_pkey primary key (id),
    constraint browser_session_token_hash_key unique (token_hash),
    constraint browser_session_user_id_fkey foreign key (user_id) references app_user (id) on delete cascade,
    constraint browser_session_id_check check (length(id) = 16),
    constraint browser_session_user_id_check check (length(user_id) = 16),
    constraint browser_session_remembered_check check (remembered in (0, 1))
) strict;
create index browser_session_user_id_last_seen_at_id_idx on browser_session (user_id, last_seen_at desc, id desc);
create index browser_session_last_seen_at_idx on browser_session (last_seen_at);

-- Links that let somebody in once: only the hash of the token is kept. `used_at` is when that was.
create table one_time_link (
    id blob not null,
    company_id blob not null,
    user_id blob not null,
    kind text not null,
    token_hash text not null,
    made_by_type text not null,
    made_by_id blob not null,
    created_at integer not null,
    expires_at integer not null,
    used_at integer,
    constraint one_time_link_pkey primary key (id),
    constraint one_time_link_token_hash_key unique (token_hash),
    constraint one_time_link_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint one_time_link_user_id_fkey foreign key (user_id) references app_user (id) on delete cascade,
    constraint one_time_link_id_check check (length(id) = 16),
    constraint one_time_link_company_id_check check (length(company_id) = 16),
    constraint one_time_link_user_id_check check (length(user_id) = 16),
    constraint one_time_link_kind_check check (kind in ('sign_in', 'invitation', 'reset')),
    constraint one_time_link_made_by_type_check check (made_by_type in ('user', 'agent', 'operator')),
    constraint one_time_link_made_by_id_check check (length(made_by_id) = 16)
) strict;
create index one_time_link_company_id_idx on one_time_link (company_id);
create index one_time_link_user_id_created_at_id_idx on one_time_link (user_id, created_at desc, id desc);
create index one_time_link_expires_at_idx on one_time_link (expires_at);

-- Addresses are looked up in all companies at once when somebody signs in.
create index app_user_email_key_idx on app_user (email_key);
