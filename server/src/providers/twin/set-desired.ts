/** Sets desired properties: merges them, checks their size, increases the version, audits and sends them. [docs/twins#desired-properties] */
import type { Kysely } from 'kysely'
import { type Actor, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import { type Announce, runClientChange } from '../clients/client-changes.ts'
import { type ClientRef, type ClientRow, getClientForUpdate } from '../clients/store.ts'
import { pickComponentProperties, nestUnderComponent } from '../components.ts'
import { findRemote } from '../kinds/find-remote.ts'
import { isProperties, mergePatch, ownValue, type Properties } from './merge-patch.ts'
import { checkProperties } from './check-properties.ts'
import { getDesired, updateDesired } from './store.ts'

/** Limits the full state as JSON text, which is sent to the device in one message. */
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
  const remote = await findRemote(ctx, ref)
  if (remote) {
    checkProperties(patch)
    const desired = await remote.patchDesired(ctx, ref, componentId, patch)
    await recordDesiredAudit(ctx.db, actor, ref.clientId, { componentId, patch, $version: desired.$version })
    return desired
  }
  const change = {
    patch: nestUnderComponent(componentId, patch),
    componentIds: componentId === '' ? [] : [componentId],
  }
  return runClientChange(ctx, async (tx, announce) => {
    const client = await getClientForUpdate(tx, ref)
    await changeDesired(tx, announce, { actor, client, change })
    return pickComponentProperties(await getDesired(tx, client.number), componentId)
  })
}

/** A change that is merged into the twin of a client. */
export interface DesiredChange {
  /** null removes a key */
  patch: Properties
  /** The keys of the patch that are components; a present value there must be an object. */
  componentIds?: Iterable<string>
}

/** Sets desired properties in a transaction that has locked the client. @throws conflict, validation_error, payload_too_large */
export async function changeDesired(
  tx: Kysely<Tables>,
  announce: Announce,
  {
    actor,
    client: { id, number, on_broker: onBroker },
    change: { patch, componentIds = [] },
  }: { actor: Actor; client: ClientRow; change: DesiredChange },
): Promise<void> {
  checkProperties(patch)
  const { $version: version, ...before } = await getDesired(tx, number)
  for (const componentId of componentIds) requireComponent(before, componentId, id)
  const $version = (version as number) + 1
  await updateDesired(tx, number, checkDesiredSize(mergePatch(before, patch)), $version)
  await recordDesiredAudit(tx, actor, id, { componentId: '', patch, $version })
  await announce({ clientId: id, onBroker, change: 'desired_changed', clientNumber: number })
}

function requireComponent(desired: Properties, componentId: string, clientId: string): void {
  const found = ownValue(desired, componentId)
  if (found === undefined || isProperties(found)) return
  const message = `${componentId} is a desired property of ${clientId} itself, so it cannot be a component. Remove it first: set it to null without a componentId.`
  throw new ApiError('conflict', message, { clientId, componentId })
}

const recordDesiredAudit = (
  db: Kysely<Tables>,
  actor: Actor,
  resourceId: string,
  after: object,
): Promise<void> =>
  recordAudit(db, actor, { action: 'set-desired', resourceType: 'provider_client', resourceId, after })

/** @throws payload_too_large */
export function checkDesiredSize(desired: Properties): Properties {
  const bytes = Buffer.byteLength(JSON.stringify(desired))
  if (bytes <= MAX_DESIRED_BYTES) return desired
  const message = `The desired state would have ${bytes} bytes; the maximum is ${MAX_DESIRED_BYTES}.`
  throw new ApiError('payload_too_large', message, { bytes, maxBytes: MAX_DESIRED_BYTES })
}
