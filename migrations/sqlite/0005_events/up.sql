-- Nothing has to be told here: processes look at the end of the table of events. The number is that of PostgreSQL.
select 1;
