-- A client has one twin; a component is an object under its name in it. Desired properties that were set for a component
-- on its own never reached the device: they move to where the device reads them, unless something stands there already.
insert into client_twins (client_number, component_id, desired, desired_version, desired_at)
select client_number, '', jsonb_object_agg(component_id, desired), max(desired_version), max(desired_at)
from client_twins where component_id <> '' and component_id not like '$%' and desired <> '{}'
group by client_number
on conflict (client_number, component_id) do update
set desired = excluded.desired || client_twins.desired, desired_version = client_twins.desired_version + 1,
  desired_at = greatest(excluded.desired_at, client_twins.desired_at);
delete from client_twins where component_id <> '';
alter table client_twins drop column component_id, add primary key (client_number);
