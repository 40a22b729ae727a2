drop index app_user_company_id_name_key_id_idx;
drop index agent_company_id_name_key_id_idx;
drop index agent_owner_id_name_key_id_idx;
alter table app_user drop column name_key;
alter table agent drop column name_key;
