-- Whoever listens on `chorus_event` is told of new events when they are committed: a line for each, in messages of less
-- than the 8,000 bytes that a message may have. The words of a line are read in `pg/tell.rs`.
create function event_told() returns trigger language plpgsql as $$
declare
    lines text;
begin
    for lines in
        select string_agg(line, E'\n' order by nth)
        from (
            select row_number() over (order by id) as nth,
                concat_ws(' ', id, company_id, coalesce(project_id::text, '-'), entity_type, entity_id, action, actor_type,
                    actor_id, (extract(epoch from created_at) * 1000000)::bigint) as line
            from told
        ) numbered
        group by (nth - 1) / 30
        order by min(nth)
    loop
        perform pg_notify('chorus_event', lines);
    end loop;
    return null;
end $$;
create trigger event_told after insert on event referencing new table as told for each statement execute function event_told();
