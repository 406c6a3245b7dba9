-- Keys that are derived for one device, and which key each device used last.

alter table enrollment_groups
  add column key_policy text not null default 'any' check (key_policy in ('any', 'derived_only')),
  add column primary_key_id uuid,
  add column secondary_key_id uuid;

-- A key keeps its row when a flip moves it to the other slot. The group's row names the keys in its slots, but not their
-- last use: a change of the group's row makes every node read the group again.
create table bootstrap_keys (
  id uuid primary key,
  tenant_id text not null references tenants,
  enrollment_group_id uuid not null references enrollment_groups on delete cascade,
  -- Null for a key that was generated before this column existed.
  created_at timestamptz default now(),
  last_used_at timestamptz
);
create index bootstrap_keys_group on bootstrap_keys (enrollment_group_id);

update enrollment_groups set
  primary_key_id = case when primary_key_sealed is not null then gen_random_uuid() end,
  secondary_key_id = case when secondary_key_sealed is not null then gen_random_uuid() end;
insert into bootstrap_keys (id, tenant_id, enrollment_group_id, created_at)
select key_id, tenant_id, id, null
from enrollment_groups, unnest(array[primary_key_id, secondary_key_id]) as key_id
where key_id is not null;
alter table enrollment_groups
  add check ((primary_key_id is null) = (primary_key_sealed is null)),
  add check ((secondary_key_id is null) = (secondary_key_sealed is null));

-- The key that a device used last may be gone, so this is no foreign key. The slot of a key changes with a flip, so the
-- device names the key.
alter table onboarding_devices
  add column last_key_id uuid,
  add column last_key_kind text check (last_key_kind in ('bootstrap', 'derived'));
update onboarding_devices set last_key_kind = 'bootstrap' where last_key_slot is not null;
-- After a flip the recorded slot may belong to another key; such a device counts as one whose key is gone.
update onboarding_devices d
set last_key_id = case d.last_key_slot when 'primary' then g.primary_key_id else g.secondary_key_id end
from enrollment_groups g
where g.id = d.enrollment_group_id and d.last_key_slot is not null and not exists (
  select from audit_log a
  where a.tenant_id = d.tenant_id and a.resource_type = 'enrollment_group'
    and a.resource_id = d.enrollment_group_id::text and a.action = 'flip-keys' and a.at >= d.last_settings_at
);
alter table onboarding_devices drop column last_key_slot;
