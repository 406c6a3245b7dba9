/** Limits the list of clients to those that a search or a filter finds. [docs/providers#finding-clients] */
import { type Expression, sql, type SqlBool } from 'kysely'
import Type, { type Static } from 'typebox'
import { contains } from '../../database/search.ts'
import { PlatformSearchQuery } from '../../http/page.ts'
import { Timestamp, Uuid } from '../../http/shapes.ts'
import { firstIdAt } from '../../lib/ids.ts'
import { isOnline } from '../is-online.ts'
import { installed } from './installed-firmware.ts'

export const ClientQuery = Type.Object({
  ...PlatformSearchQuery.properties,
  connected: Type.Optional(
    Type.Boolean({ description: 'Only clients that are connected over MQTT, or are not' }),
  ),
  silentSince: Type.Optional({
    ...Timestamp,
    description: 'Only enabled clients without a message since then, to within 5 minutes',
  }),
  deadLettersSince: Type.Optional({
    ...Timestamp,
    description: 'Only clients with messages since then that could not be read',
  }),
  firmwareReleaseId: Type.Optional({
    ...Uuid,
    description: 'Only clients whose last successful update or rollback installed this release',
  }),
})
type ClientQuery = Static<typeof ClientQuery>

const isTrue = sql<SqlBool>`true`

/** A condition for the query of `listClients`. */
export function matchesQuery(query: ClientQuery): Expression<SqlBool> {
  const { search, connected, silentSince, deadLettersSince, firmwareReleaseId } = query
  const conditions = [
    contains(search, ['client.id', 'client.display_name']),
    connected === undefined ? isTrue : sql`${isOnline('connection')} = ${connected}`,
    silentSince === undefined ? isTrue : isSilentSince(new Date(silentSince)),
    deadLettersSince === undefined ? isTrue : hasDeadLetters(new Date(deadLettersSince)),
    firmwareReleaseId === undefined ? isTrue : hasRelease(firmwareReleaseId),
  ]
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}

const isSilentSince = (since: Date) =>
  sql`client.enabled and coalesce(activity.last_message_at < ${since}, true)`

/** Ids of dead letters begin with their time. */
const hasDeadLetters = (since: Date) => sql`client.number in (
  select letter.client_number from dead_letters letter where letter.id >= ${firstIdAt(since.getTime())}::uuid)`

/**
 * The first part finds candidates by an index, also clients that were rolled back to the release, which had it before. The
 * second leaves out those that were updated or rolled back to another one later.
 */
const hasRelease = (releaseId: string) => sql`client.number in (
    select u.client_number from deployments d join firmware_updates u on u.deployment_id = d.id
    where d.tenant_id = client.tenant_id and d.release_id = ${releaseId}::uuid and u.kind = 'update' and u.state = 'Succeeded'
  ) and ${installed(sql`installed.release_id = ${releaseId}::uuid`)}`
