/** Clients that somebody else keeps tell us nothing by themselves: while an update is running on them they are asked. */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { addJob } from '../../jobs/add-job.ts'
import { ReceiverError, type SendOutcome } from '../../jobs/receiver.ts'
import { inLanes } from '../../lib/in-lanes.ts'
import type { ProviderType } from '../../providers/provider-type.ts'
import { kindOf } from '../../providers/kinds/kind-of.ts'
import { providerReceiver } from '../../providers/kinds/provider-receiver.ts'
import { advanceUpdates } from './advance-updates.ts'

export const POLL_PROVIDER = 'poll-provider-updates'

/** Asked in one round, at so many a time; whom a round leaves out is among the next by chance. */
const MAX_CLIENTS = 2000
const LANES = 10
/** A hub that answers slowly is asked no longer than this in one round. */
const ROUND_MS = 45_000

/** The payload of the job. */
export interface PolledProvider {
  tenantId: string
  providerId: string
}

/** A provider that hangs holds up none of the others. */
export async function addPollJobs(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ tenant_id: string; provider_id: string }>`
    select distinct p.tenant_id, p.id as provider_id
    from firmware_updates u
    join provider_clients c on c.number = u.client_number
    join providers p on p.tenant_id = c.tenant_id and p.id = c.provider_id
    where u.state = 'Running' and p.type = 'iothub'
    order by p.tenant_id, p.id`.execute(db)
  for (const provider of rows) {
    const { tenant_id: tenantId, provider_id: providerId } = provider
    await addJob(db, POLL_PROVIDER, { tenantId, providerId } satisfies PolledProvider, {
      key: `${POLL_PROVIDER}:${tenantId}/${providerId}`,
      receiver: providerReceiver(provider, 'firmware'),
    })
  }
}

interface Asked {
  number: number
  id: string
  property: string
}

/** @throws ReceiverError where the provider answered nothing */
export async function pollRemoteUpdates(
  ctx: Context,
  provider: PolledProvider,
  roundMs = ROUND_MS,
): Promise<SendOutcome> {
  const endMs = Date.now() + roundMs
  const { rows } = await sql<Asked & { type: ProviderType }>`
    select c.number, c.id, p.type, d.plan #>> '{status,statusPropertyName}' as property
    from firmware_updates u
    join deployments d on d.id = u.deployment_id
    join provider_clients c on c.number = u.client_number
    join providers p on p.tenant_id = c.tenant_id and p.id = c.provider_id
    where u.state = 'Running' and p.type = 'iothub'
      and p.tenant_id = ${provider.tenantId} and p.id = ${provider.providerId}
    order by random() limit ${MAX_CLIENTS}`.execute(ctx.db)
  let answers = 0
  let lastError: Error | undefined
  await inLanes(rows, { lanes: LANES, mayBegin: () => Date.now() < endMs }, async (client) => {
    try {
      await ask(ctx, provider, client)
      answers++
    } catch (error) {
      lastError = error as Error
      ctx.log.warn(
        { client: client.id, reason: lastError.message },
        'the status of a firmware update is not known',
      )
    }
  })
  if (answers > 0) return 'answered'
  if (lastError) throw new ReceiverError(lastError.message, false, { cause: lastError })
  return 'not_asked'
}

async function ask(
  ctx: Context,
  provider: PolledProvider,
  { number, property, id, type }: Asked & { type: ProviderType },
): Promise<void> {
  const twin = await kindOf(type).remote!.getTwin(ctx, { ...provider, clientId: id }, '')
  if (!Object.hasOwn(twin.reported, property)) return
  const reported = { [property]: twin.reported[property] }
  await ctx.db
    .transaction()
    .execute((tx) => advanceUpdates(tx, [{ clientNumber: number, reported, change: reported }]))
}
