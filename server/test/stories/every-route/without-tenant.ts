/**
 * Statements that name no tenant, with the reason. A statement is identified by its beginning; spaces do not matter.
 * Unused entries fail too.
 */
interface Exception {
  begins: string
  because: string
}

const byJobs = 'A rollout is advanced by jobs, and a job knows its deployment or its update by the id alone.'
const ofBatch = 'A batch of samples is of many tenants; the alarms come from the evaluation of its samples.'

export const withoutTenant: Exception[] = [
  {
    begins: 'select "tenant_id" from "users" where "id" = $1',
    because: 'A refresh token names its user alone.',
  },
  { begins: 'select id, revision from alarms where id = any($1::uuid[])', because: ofBatch },
  { begins: 'update alarm_statuses s set state = m.state', because: ofBatch },
  { begins: 'with moved as (delete from sample_rows_rest', because: 'A partition is a day of all tenants.' },
  { begins: 'select "tenant_id" from "deployments" where "id" = $1', because: byJobs },
  { begins: 'select "plan" from "deployments" where "id" = $1', because: byJobs },
  { begins: 'select * from "deployments" where "id" = $1 for no key update', because: byJobs },
  {
    begins: 'select d.id from deployments d where d.ended_at is null and d.id >= $1 and d.tenant_id = (',
    because: byJobs,
  },
  { begins: 'select "id", "deployment_id", "client_number", "state",', because: byJobs },
  { begins: 'update "firmware_updates" set "state" = $1, "current_step" = $2', because: byJobs },
  { begins: 'update firmware_updates set state = $1, step_due = false', because: byJobs },
  { begins: 'update firmware_updates u set state = new.state', because: byJobs },
  {
    begins: 'select node.id::text, coalesce(client.count, 0) as "connectedClients"',
    because: 'The health of the installation is shown to owners of the environment alone.',
  },
]
