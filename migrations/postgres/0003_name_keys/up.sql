-- Names folded to lower case, in which people and agents are searched and sorted. A program writes them; names from
-- before get what the database can fold.
alter table app_user add column name_key text collate "C" not null default '';
alter table agent add column name_key text collate "C" not null default '';
update app_user set name_key = lower(coalesce(name, email, ''));
update agent set name_key = lower(name);
create index app_user_company_id_name_key_id_idx on app_user (company_id, name_key, id);
create index agent_company_id_name_key_id_idx on agent (company_id, name_key, id);
create index agent_owner_id_name_key_id_idx on agent (owner_id, name_key, id);
