-- Sessions of people's browsers: only the hash of the token is kept.
create table browser_session (
    id uuid not null,
    user_id uuid not null,
    token_hash text not null,
    remembered boolean not null,
    client text not null,
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    constraint browser_session_pkey primary key (id),
    constraint browser_session_token_hash_key unique (token_hash),
    constraint browser_session_user_id_fkey foreign key (user_id) references app_user (id) on delete cascade
);
create index browser_session_user_id_last_seen_at_id_idx on browser_session (user_id, last_seen_at desc, id desc);
create index browser_session_last_seen_at_idx on browser_session (last_seen_at);

-- Links that let somebody in once: only the hash of the token is kept. `used_at` is when that was.
create table one_time_link (
    id uuid not null,
    company_id uuid not null,
    user_id uuid not null,
    kind text not null,
    token_hash text not null,
    made_by_type text not null,
    made_by_id uuid not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz,
    constraint one_time_link_pkey primary key (id),
    constraint one_time_link_token_hash_key unique (token_hash),
    constraint one_time_link_company_id_fkey foreign key (company_id) references company (id) on delete cascade,
    constraint one_time_link_user_id_fkey foreign key (user_id) references app_user (id) on delete cascade,
    constraint one_time_link_kind_check check (kind in ('sign_in', 'invitation', 'reset')),
    constraint one_time_link_made_by_type_check check (made_by_type in ('user', 'agent', 'operator'))
);
create index one_time_link_company_id_idx on one_time_link (company_id);
create index one_time_link_user_id_created_at_id_idx on one_time_link (user_id, created_at desc, id desc);
create index one_time_link_expires_at_idx on one_time_link (expires_at);

-- Addresses are looked up in all companies at once when somebody signs in.
create index app_user_email_key_idx on app_user (email_key);
