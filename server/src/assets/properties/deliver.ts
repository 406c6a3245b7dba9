/**
 * Delivers desired properties to clients of remote providers. A delivery is stored with the change that caused it, sent
 * when that has committed, and retried by a job until it succeeds. One node sends at a time, so that deliveries keep
 * their order.
 */
import { type Kysely, sql } from 'kysely'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import { addJob } from '../../jobs/add-job.ts'
import { ReceiverError, type SendOutcome } from '../../jobs/receiver.ts'
import { newId } from '../../lib/ids.ts'
import { getProviderKind } from '../../providers/kinds/get-provider-kind.ts'
import { providerReceiver } from '../../providers/kinds/provider-receiver.ts'
import type { Properties } from '../../providers/twin/merge-patch.ts'
import { findLocatedClientByNumber, type LocatedClient } from '../bindings/located-client.ts'
import { combinePatches } from './patch-between.ts'

export const DELIVER_DESIRED = 'deliver-desired'

export interface Delivery {
  client: LocatedClient
  /** `''` means the client itself. */
  componentId: string
}

/** The process that made the change sends it; the job retries if that fails. */
const FIRST_RETRY_MS = 20_000
/** With the back-off of jobs, retries last most of a year. */
const MAX_TRIES = 1000
/** Longer than the timeout of any provider. */
const SENDING_SECONDS = 120

/** @param tx a transaction that holds the client's lock */
export async function insertDelivery(
  tx: Kysely<Tables>,
  delivery: Delivery,
  patch: Properties,
): Promise<Delivery> {
  const { client, componentId } = delivery
  const undelivered = await tx
    .selectFrom('desired_deliveries')
    .select('patch')
    .where('client_number', '=', client.number)
    .where('component_id', '=', componentId)
    .executeTakeFirst()
  const row = {
    patch: JSON.stringify(combinePatches([undelivered?.patch ?? {}, patch])),
    revision: newId(),
  }
  await tx
    .insertInto('desired_deliveries')
    .values({ client_number: client.number, component_id: componentId, ...row })
    .onConflict((oc) => oc.columns(['client_number', 'component_id']).doUpdateSet(row))
    .execute()
  await addDeliverJob(tx, delivery, FIRST_RETRY_MS)
  return delivery
}

const addDeliverJob = (db: Kysely<Tables>, { client, componentId }: Delivery, afterMs: number) =>
  addJob(
    db,
    DELIVER_DESIRED,
    { clientNumber: client.number, componentId },
    {
      key: `${DELIVER_DESIRED}:${client.number}:${componentId}`,
      runAt: new Date(Date.now() + afterMs),
      maxAttempts: MAX_TRIES,
      receiver: providerReceiver(client, 'desired'),
    },
  )

/** @throws the error of the first provider that fails; all other deliveries are sent */
export async function deliverAll(ctx: Context, deliveries: Delivery[]): Promise<void> {
  const results = await Promise.allSettled(deliveries.map((delivery) => deliver(ctx, delivery)))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Runs the delivery job. @throws ReceiverError to have the job repeated */
export async function deliverDesired(
  ctx: Context,
  { clientNumber, componentId }: { clientNumber: number; componentId: string },
): Promise<SendOutcome> {
  const client = await findLocatedClientByNumber(ctx.db, clientNumber)
  if (!client) return 'not_asked'
  const sent = await deliver(ctx, { client, componentId }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    throw new ReceiverError(error.message, error.code !== 'provider_unavailable', { cause: error })
  })
  // Another node is sending, or died while it was. Only the end of its claim shows which.
  if (await isUndelivered(ctx.db, { client, componentId }))
    await addDeliverJob(ctx.db, { client, componentId }, SENDING_SECONDS * 1000)
  return sent > 0 ? 'answered' : 'not_asked'
}

async function isUndelivered(db: Kysely<Tables>, { client, componentId }: Delivery): Promise<boolean> {
  const row = await db
    .selectFrom('desired_deliveries')
    .select('revision')
    .where('client_number', '=', client.number)
    .where('component_id', '=', componentId)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Sends until nothing is left. If another node holds the claim, that node continues instead. @returns the number of sent
 * patches
 */
async function deliver(ctx: Context, delivery: Delivery): Promise<number> {
  for (let sent = 0; ; sent++) {
    const claimed = await claim(ctx.db, delivery)
    if (!claimed) return sent
    try {
      await send(ctx, delivery, claimed.patch)
    } catch (error) {
      await release(ctx.db, delivery)
      throw await explainError(ctx, delivery, claimed.revision, error)
    }
    await deleteDelivery(ctx.db, delivery, claimed.revision)
    await release(ctx.db, delivery)
  }
}

const claim = async (db: Kysely<Tables>, { client, componentId }: Delivery) =>
  db
    .updateTable('desired_deliveries')
    .set({ sending_until: sql<Date>`now() + make_interval(secs => ${SENDING_SECONDS})` })
    .where('client_number', '=', client.number)
    .where('component_id', '=', componentId)
    .where((eb) => eb.or([eb('sending_until', 'is', null), eb('sending_until', '<', sql<Date>`now()`)]))
    .returning(['patch', 'revision'])
    .executeTakeFirst()

async function send(ctx: Context, { client, componentId }: Delivery, patch: Properties): Promise<void> {
  const ref = { tenantId: client.tenant_id, providerId: client.provider_id, clientId: client.id }
  const desired = await getProviderKind(client.provider_type).remote!.patchDesired(
    ctx,
    ref,
    componentId,
    patch,
  )
  await recordAudit(
    ctx.db,
    { tenantId: client.tenant_id, system: 'bindings' },
    {
      action: 'set-desired',
      resourceType: 'provider_client',
      resourceId: client.id,
      after: { componentId, patch, $version: desired.$version },
    },
  )
}

/** A newer change has another revision and stays. */
const deleteDelivery = async (
  db: Kysely<Tables>,
  { client, componentId }: Delivery,
  revision: string,
): Promise<void> =>
  void (await db
    .deleteFrom('desired_deliveries')
    .where('client_number', '=', client.number)
    .where('component_id', '=', componentId)
    .where('revision', '=', revision)
    .execute())

const release = async (db: Kysely<Tables>, { client, componentId }: Delivery): Promise<void> =>
  void (await db
    .updateTable('desired_deliveries')
    .set({ sending_until: null })
    .where('client_number', '=', client.number)
    .where('component_id', '=', componentId)
    .execute())

/** A patch that the provider refuses is dropped, since it would be refused again; other failures are retried. */
async function explainError(
  ctx: Context,
  delivery: Delivery,
  revision: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof ApiError)) return error
  const { id, number } = delivery.client
  const isFinal = error.code === 'provider_rejected'
  if (isFinal) await deleteDelivery(ctx.db, delivery, revision)
  ctx.log.warn(
    { client: id, number, reason: error.message, isFinal },
    'desired properties were not delivered',
  )
  const then = isFinal
    ? `The asset's desired state was kept, and ${id} does not have it: set another value.`
    : `The asset's desired state was kept, and ${id} does not have it yet: it is sent again until it does.`
  const details = { ...error.details, clientId: id, assetStateKept: true, retried: !isFinal }
  return new ApiError(error.code, `${error.message} ${then}`, details, error.retryAfterSeconds)
}
