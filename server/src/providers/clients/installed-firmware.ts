/** Which firmware release a client has: that of its last successful update or rollback. [docs/providers#clients] */
import { type RawBuilder, sql } from 'kysely'

/** @param column of the deployment that installed the release; null for a client whose rollback had nothing to go back to */
export const installed = <Value>(column: RawBuilder<Value>) => sql<Value | null>`(
    select ${column}
    from firmware_updates u left join deployments installed
      on installed.id = case when u.kind = 'update' then u.deployment_id else u.back_to_deployment_id end
    where u.client_number = client.number and u.state = 'Succeeded'
    order by u.ended_at desc, u.id desc limit 1
  )`
