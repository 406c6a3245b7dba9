-- Whether the device had proved its identity. Attempts without proof are kept apart, because anybody can make them.
alter table onboarding_attempts add column proven boolean not null default true;
