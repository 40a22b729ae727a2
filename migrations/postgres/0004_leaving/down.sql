drop table parked_project_member;
drop table parked_group_member;
drop table former_user;
alter table app_user drop column suspended_at;
