-- Whose workers take jobs: what a process held that was killed is free again as soon as that is noticed.
create table job_workers (
  worker_id text primary key,
  node_id uuid not null
);
create index job_workers_node on job_workers (node_id);
