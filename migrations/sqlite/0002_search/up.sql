-- The index of words for search. `migrations/postgres` keeps the same entries and explains them; a test compares the two.

-- `seq` is what the index below knows an entry by.
create table search_entry (
    seq integer not null,
    entity_type text not null,
    entity_id blob not null,
    place_id blob not null,
    title text not null,
    body text not null,
    constraint search_entry_pkey primary key (seq),
    constraint search_entry_entity_type_entity_id_key unique (entity_type, entity_id),
    constraint search_entry_entity_type_check check (entity_type in ('task', 'idea', 'proposal', 'document', 'project', 'project_group')),
    constraint search_entry_entity_id_check check (length(entity_id) = 16),
    constraint search_entry_place_id_check check (length(place_id) = 16)
) strict;

-- Words are cut already: to this tokenizer every letter and sign that can be in one is part of it.
create virtual table search_word using fts5 (
    title, body, content='search_entry', content_rowid='seq', tokenize='ascii', detail='column', columnsize=0
);

create table search_state (
    words_version integer not null
) strict;
insert into search_state (words_version) values (0);

create trigger search_entry_added after insert on search_entry begin
    insert into search_word (rowid, title, body) values (new.seq, new.title, new.body);
end;
create trigger search_entry_changed after update of title, body on search_entry begin
    insert into search_word (search_word, rowid, title, body) values ('delete', old.seq, old.title, old.body);
    insert into search_word (rowid, title, body) values (new.seq, new.title, new.body);
end;
create trigger search_entry_gone after delete on search_entry begin
    insert into search_word (search_word, rowid, title, body) values ('delete', old.seq, old.title, old.body);
end;

create trigger task_search_gone after delete on task begin
    delete from search_entry where entity_type = 'task' and entity_id = old.id;
end;
create trigger idea_search_gone after delete on idea begin
    delete from search_entry where entity_type = 'idea' and entity_id = old.id;
end;
create trigger proposal_search_gone after delete on proposal begin
    delete from search_entry where entity_type = 'proposal' and entity_id = old.id;
end;
create trigger document_search_gone after delete on document begin
    delete from search_entry where entity_type = 'document' and entity_id = old.id;
end;
create trigger project_search_gone after delete on project begin
    delete from search_entry where entity_type = 'project' and entity_id = old.id;
end;
create trigger project_group_search_gone after delete on project_group begin
    delete from search_entry where entity_type = 'project_group' and entity_id = old.id;
end;
create trigger task_search_moved after update of project_id on task when old.project_id <> new.project_id begin
    update search_entry set place_id = new.project_id where entity_type = 'task' and entity_id = new.id;
end;
create trigger idea_search_moved after update of project_id on idea when old.project_id <> new.project_id begin
    update search_entry set place_id = new.project_id where entity_type = 'idea' and entity_id = new.id;
end;
create trigger proposal_search_moved after update of project_id on proposal when old.project_id <> new.project_id begin
    update search_entry set place_id = new.project_id where entity_type = 'proposal' and entity_id = new.id;
end;
create trigger document_search_moved after update of project_id on document when old.project_id <> new.project_id begin
    update search_entry set place_id = new.project_id where entity_type = 'document' and entity_id = new.id;
end;
