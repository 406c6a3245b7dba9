/** Clients that somebody else keeps tell us nothing by themselves: while an update is running on them they are asked. */
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { kindOf, type ProviderType } from '../../providers/kinds/kind-of.ts'
import { advanceUpdates } from './advance-updates.ts'

/** Asked in one round, at so many a time; whom a round leaves out is among the next by chance. */
const MAX_CLIENTS = 2000
const LANES = 10
/** A hub that does not answer is asked slowly, and holds up no other work for longer than this. */
const ROUND_MS = 45_000

interface Asked {
  number: number
  id: string
  tenantId: string
  providerId: string
  property: string
}

export async function pollRemoteUpdates(ctx: Context, roundMs = ROUND_MS): Promise<void> {
  const endMs = Date.now() + roundMs
  const { rows } = await sql<Asked & { type: ProviderType }>`
    select c.number, c.id, c.tenant_id as "tenantId", c.provider_id as "providerId", p.type,
      d.plan #>> '{status,statusPropertyName}' as property
    from firmware_updates u
    join deployments d on d.id = u.deployment_id
    join provider_clients c on c.number = u.client_number
    join providers p on p.tenant_id = c.tenant_id and p.id = c.provider_id
    where u.state = 'Running' and p.type = 'iothub'
    order by random() limit ${MAX_CLIENTS}`.execute(ctx.db)
  const left = [...rows]
  const lane = async () => {
    for (let client = left.shift(); client && Date.now() < endMs; client = left.shift())
      await ask(ctx, client, client.type)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

async function ask(
  ctx: Context,
  { number, property, id, ...client }: Asked,
  type: ProviderType,
): Promise<void> {
  try {
    const twin = await kindOf(type).remote!.getTwin(ctx, { ...client, clientId: id }, '')
    if (!Object.hasOwn(twin.reported, property)) return
    const reported = { [property]: twin.reported[property] }
    await ctx.db
      .transaction()
      .execute((tx) => advanceUpdates(tx, [{ clientNumber: number, reported, change: reported }]))
  } catch (error) {
    ctx.log.warn(
      { client: id, reason: (error as Error).message },
      'the status of a firmware update is not known',
    )
  }
}
