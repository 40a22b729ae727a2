drop index app_user_email_key_idx;
drop table one_time_link;
drop table browser_session;
