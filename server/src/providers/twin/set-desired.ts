/** Setting desired properties: merged, bounded, numbered, recorded, and sent to the device. [docs/twins#desired-properties] */
import type { Kysely } from 'kysely'
import { type Actor, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import { type Announce, changingClient } from '../clients/client-changes.ts'
import { type ClientRef, type ClientRow, getClientForUpdate } from '../clients/store.ts'
import { componentOf, underComponent } from '../components.ts'
import { remoteOf } from '../kinds/remote-of.ts'
import { isProperties, mergePatch, ownValue, type Properties } from './merge-patch.ts'
import { refuseUnusable } from './refuse-unusable.ts'
import { getDesired, updateDesired } from './store.ts'

/** Of the full state as JSON text. It goes to the device in one message, each time. */
export const MAX_DESIRED_BYTES = 128 * 1024

/**
 * @param componentId `''` is the client itself
 * @param patch null removes a key
 * @returns the full desired state of the client, or of its component, with `$version`
 * @throws not_found, conflict, validation_error, payload_too_large
 */
export async function setDesired(
  ctx: Context,
  actor: Actor,
  { ref, componentId, patch }: { ref: ClientRef; componentId: string; patch: Properties },
): Promise<Properties> {
  const remote = await remoteOf(ctx, ref)
  if (remote) {
    refuseUnusable(patch)
    const desired = await remote.patchDesired(ctx, ref, componentId, patch)
    await recordSet(ctx.db, actor, ref.clientId, { componentId, patch, $version: desired.$version })
    return desired
  }
  const change = {
    patch: underComponent(componentId, patch),
    componentIds: componentId === '' ? [] : [componentId],
  }
  return changingClient(ctx, async (tx, announce) => {
    const client = await getClientForUpdate(tx, ref)
    await changeDesired(tx, announce, { actor, client, change })
    return componentOf(await getDesired(tx, client.number), componentId)
  })
}

/** What is merged into the twin of a client. */
export interface DesiredChange {
  /** null removes a key */
  patch: Properties
  /** Those of its keys that are components: what stands there already has to be one, too. */
  componentIds?: Iterable<string>
}

/** The same inside a transaction that holds the client's lock. @throws conflict, validation_error, payload_too_large */
export async function changeDesired(
  tx: Kysely<Tables>,
  announce: Announce,
  {
    actor,
    client: { id, number, on_broker: onBroker },
    change: { patch, componentIds = [] },
  }: { actor: Actor; client: ClientRow; change: DesiredChange },
): Promise<void> {
  refuseUnusable(patch)
  const { $version: version, ...before } = await getDesired(tx, number)
  for (const componentId of componentIds) refuseOtherThanComponent(before, componentId, id)
  const $version = (version as number) + 1
  await updateDesired(tx, number, boundedDesired(mergePatch(before, patch)), $version)
  await recordSet(tx, actor, id, { componentId: '', patch, $version })
  await announce({ clientId: id, onBroker, change: 'desired_changed', clientNumber: number })
}

function refuseOtherThanComponent(desired: Properties, componentId: string, clientId: string): void {
  const found = ownValue(desired, componentId)
  if (found === undefined || isProperties(found)) return
  const message = `${componentId} is a desired property of ${clientId} itself, so that it cannot be a component. Remove it first: set it to null without a componentId.`
  throw new ApiError('conflict', message, { clientId, componentId })
}

const recordSet = (db: Kysely<Tables>, actor: Actor, resourceId: string, after: object): Promise<void> =>
  recordAudit(db, actor, { action: 'set-desired', resourceType: 'provider_client', resourceId, after })

/** @throws payload_too_large */
export function boundedDesired(desired: Properties): Properties {
  const bytes = Buffer.byteLength(JSON.stringify(desired))
  if (bytes <= MAX_DESIRED_BYTES) return desired
  const message = `The desired state would have ${bytes} bytes; it can have ${MAX_DESIRED_BYTES}.`
  throw new ApiError('payload_too_large', message, { bytes, maxBytes: MAX_DESIRED_BYTES })
}
