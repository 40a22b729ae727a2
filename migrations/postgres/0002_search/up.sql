-- The index of words for search. `migrations/sqlite` keeps the same entries in its own kind of index.
--
-- An entry holds the words of one thing, cut and folded by the program (`chorus_domain::search`), each once, with blanks
-- between: no parser of the database sees a text, so that a search finds the same whatever the server's language. Entries
-- are written with the things they stand for. They go and move with them by triggers, whoever deletes or moves.

-- `place_id` decides who sees an entry: the project that the thing is in or is, or the group.
create table search_entry (
    entity_type text not null,
    entity_id uuid not null,
    place_id uuid not null,
    title text not null,
    body text not null,
    title_words tsvector not null generated always as (array_to_tsvector(string_to_array(title, ' '))) stored,
    all_words tsvector not null generated always as (array_to_tsvector(string_to_array(trim(title || ' ' || body), ' '))) stored,
    constraint search_entry_entity_type_entity_id_key primary key (entity_type, entity_id),
    constraint search_entry_entity_type_check check (entity_type in ('task', 'idea', 'proposal', 'document', 'project', 'project_group'))
);
-- What is not sorted in yet is read from end to end by every search, so little of it is left standing.
create index search_entry_title_words_idx on search_entry using gin (title_words) with (gin_pending_list_limit = 256);
create index search_entry_all_words_idx on search_entry using gin (all_words) with (gin_pending_list_limit = 256);

-- Which cut of words the entries have; another one than the program's means that they have to be made anew.
create table search_state (
    words_version integer not null
);
insert into search_state (words_version) values (0);

create function search_entry_gone() returns trigger language plpgsql as $$
begin
    delete from search_entry where entity_type = tg_argv[0] and entity_id in (select id from gone);
    return null;
end
$$;
create function search_entry_moved() returns trigger language plpgsql as $$
begin
    update search_entry set place_id = new.project_id where entity_type = tg_argv[0] and entity_id = new.id;
    return null;
end
$$;

create trigger task_search_gone after delete on task referencing old table as gone for each statement execute function search_entry_gone('task');
create trigger idea_search_gone after delete on idea referencing old table as gone for each statement execute function search_entry_gone('idea');
create trigger proposal_search_gone after delete on proposal referencing old table as gone for each statement execute function search_entry_gone('proposal');
create trigger document_search_gone after delete on document referencing old table as gone for each statement execute function search_entry_gone('document');
create trigger project_search_gone after delete on project referencing old table as gone for each statement execute function search_entry_gone('project');
create trigger project_group_search_gone after delete on project_group referencing old table as gone for each statement execute function search_entry_gone('project_group');
create trigger task_search_moved after update of project_id on task for each row when (old.project_id <> new.project_id) execute function search_entry_moved('task');
create trigger idea_search_moved after update of project_id on idea for each row when (old.project_id <> new.project_id) execute function search_entry_moved('idea');
create trigger proposal_search_moved after update of project_id on proposal for each row when (old.project_id <> new.project_id) execute function search_entry_moved('proposal');
create trigger document_search_moved after update of project_id on document for each row when (old.project_id <> new.project_id) execute function search_entry_moved('document');
