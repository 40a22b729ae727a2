drop trigger event_told on event;
drop function event_told();
