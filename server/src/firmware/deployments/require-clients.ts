/** Checks the clients of a deployment: they exist, in organizations whose firmware the caller manages. */
import { type Kysely, sql } from 'kysely'
import { queriesIn } from '../../access/decisions/queries.ts'
import { listOrganizationsOfPrivileges } from '../../access/decisions/reach.ts'
import { callerSubject } from '../../access/require.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError, validationError } from '../../http/errors.ts'

/** The maximum number of clients that an error names. */
const MAX_NAMED = 20

const privilege = 'firmware_management'

/**
 * Checks all clients in one statement.
 * @param caller holds `firmware_management` in some organization
 * @throws validation_error for duplicate or unknown ids; forbidden for clients of other organizations
 */
export async function requireClients(tx: Kysely<Tables>, caller: Caller, deviceIds: string[]): Promise<void> {
  requireUnique(deviceIds)
  const { tenantId } = caller
  const request = { tenantId, subject: callerSubject(caller), privilege } as const
  const [organizationIds] = await listOrganizationsOfPrivileges(queriesIn(tx), [request])
  const { rows } = await sql<{ id: string; known: boolean }>`
    select asked.id, c.id is not null as known
    from unnest(${deviceIds}::text[]) as asked (id)
    left join provider_clients c on c.tenant_id = ${tenantId} and c.id = asked.id
    where c.id is null or c.organization_id <> all(${organizationIds!}::uuid[])
    order by known, asked.id limit ${MAX_NAMED + 1}`.execute(tx)
  const listIds = (known: boolean) => rows.filter((row) => row.known === known).map(({ id }) => id)
  const [unknown, notManaged] = [listIds(false), listIds(true)]
  if (unknown.length > 0)
    throw validationError({ path: 'deviceIds', message: `names no provider client: ${joinNames(unknown)}` })
  if (notManaged.length > 0)
    throw new ApiError(
      'forbidden',
      `This needs the privilege ${privilege} in the organizations of the provider clients ${joinNames(notManaged)}.`,
      {
        required: {
          privilege,
          resourceType: 'provider_client',
          resourceIds: notManaged.slice(0, MAX_NAMED),
        },
      },
    )
}

function requireUnique(deviceIds: string[]): void {
  const seen = new Set<string>()
  for (const id of deviceIds) {
    if (seen.has(id)) throw validationError({ path: 'deviceIds', message: `names ${id} twice` })
    seen.add(id)
  }
}

const joinNames = (ids: string[]) =>
  `${ids.slice(0, MAX_NAMED).join(', ')}${ids.length > MAX_NAMED ? ' and others' : ''}`
