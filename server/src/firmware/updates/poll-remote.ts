/** Polls the status of updates on clients of remote providers, which do not report to the platform. */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { addJob } from '../../jobs/add-job.ts'
import { ReceiverError, type SendOutcome } from '../../jobs/receiver.ts'
import { inLanes } from '../../lib/in-lanes.ts'
import type { ProviderType } from '../../providers/provider-type.ts'
import { getProviderKind } from '../../providers/kinds/get-provider-kind.ts'
import { providerReceiver } from '../../providers/kinds/provider-receiver.ts'
import { advanceUpdates } from './advance-updates.ts'

export const POLL_PROVIDER = 'poll-provider-updates'

/** The maximum per round. The order is random, so every client is polled eventually. */
const MAX_CLIENTS = 2000
const LANES = 10
/** Limits a round when the provider answers slowly. */
const MAX_ROUND_MS = 45_000

/** The payload of the job. */
export interface PolledProvider {
  tenantId: string
  providerId: string
}

/** Adds one job per provider, so that a provider that hangs does not delay the others. */
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

interface PolledClient {
  number: number
  id: string
  property: string
}

/** @throws ReceiverError if all requests to the provider failed */
export async function pollRemoteUpdates(
  ctx: Context,
  provider: PolledProvider,
  roundMs = MAX_ROUND_MS,
): Promise<SendOutcome> {
  const endMs = Date.now() + roundMs
  const { rows } = await sql<PolledClient & { type: ProviderType }>`
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
      await pollClient(ctx, provider, client)
      answers++
    } catch (error) {
      lastError = error as Error
      ctx.log.warn(
        { client: client.id, reason: lastError.message },
        'cannot read the status of a firmware update',
      )
    }
  })
  if (answers > 0) return 'answered'
  if (lastError) throw new ReceiverError(lastError.message, false, { cause: lastError })
  return 'not_asked'
}

async function pollClient(
  ctx: Context,
  provider: PolledProvider,
  { number, property, id, type }: PolledClient & { type: ProviderType },
): Promise<void> {
  const twin = await getProviderKind(type).remote!.getTwin(ctx, { ...provider, clientId: id }, '')
  if (!Object.hasOwn(twin.reported, property)) return
  const reported = { [property]: twin.reported[property] }
  await ctx.db
    .transaction()
    .execute((tx) => advanceUpdates(tx, [{ clientNumber: number, reported, change: reported }]))
}
