import type { Kysely } from 'kysely'
import { audited } from '../../audit/audited.ts'
import type { Actor } from '../../audit/record.ts'
import { pageAfter } from '../../database/page.ts'
import { contains } from '../../database/search.ts'
import type { Tables } from '../../database/tables.ts'
import { ApiError, orNotFound, validationError } from '../../http/errors.ts'
import type { RoutingTargetRow } from '../../database/tables/onboarding.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'
import { sealedPlace, type Sealer } from '../../lib/seal.ts'
import type { CreateRoutingTarget, UpdateRoutingTarget } from './schema.ts'

const resourceType = 'routing_target'

type Secret = 'provider_api_key' | 'webhook_secret'

export const secretPlace = (secret: Secret, targetId: string) =>
  sealedPlace('routing_targets', `${secret}_sealed`, targetId)

/** The record without its secrets. */
export const routingTargetShape = (row: RoutingTargetRow) => ({
  id: row.id,
  name: row.name,
  brokers: row.brokers,
  broker_selection: row.broker_selection,
  provider_base_url: row.provider_base_url,
  created_at: row.created_at.toISOString(),
})

/**
 * @param lock in a transaction: `change` before changing the target, `use` before a group refers to it, so that it is not deleted
 * @throws not_found
 */
export async function getRoutingTarget(
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
  lock?: 'change' | 'use',
): Promise<RoutingTargetRow> {
  return orNotFound(
    await db
      .selectFrom('routing_targets')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .$if(lock === 'change', (q) => q.forUpdate())
      .$if(lock === 'use', (q) => q.forKeyShare())
      .executeTakeFirst(),
    'routing target',
    id,
  )
}

export const listRoutingTargets = (
  db: Kysely<Tables>,
  tenantId: string,
  { search, page }: { search?: string; page: PageRequest },
) =>
  pageAfter(
    db
      .selectFrom('routing_targets')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where(contains(search, ['name'])),
    'id',
    page,
  )

export async function insertRoutingTarget(
  db: Kysely<Tables>,
  sealer: Sealer,
  actor: Actor,
  body: CreateRoutingTarget,
): Promise<RoutingTargetRow> {
  const id = newId()
  const { provider_api_key, webhook_secret, brokers, ...fields } = body
  return audited(db, { actor, action: 'create', resourceType }, async (tx) => {
    const row = await tx
      .insertInto('routing_targets')
      .values({
        ...fields,
        id,
        tenant_id: actor.tenantId,
        brokers: JSON.stringify(brokers),
        provider_api_key_sealed: sealer.seal(provider_api_key, secretPlace('provider_api_key', id)),
        webhook_secret_sealed: sealer.seal(webhook_secret, secretPlace('webhook_secret', id)),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const after = routingTargetShape(row)
    return { resourceId: id, after, result: row }
  })
}

const secrets: Secret[] = ['provider_api_key', 'webhook_secret']

/** The stored secrets must not be sent to, or accepted from, a new address. @throws validation_error */
function requireSecretsForNewAddress(stored: RoutingTargetRow, body: UpdateRoutingTarget): void {
  const { provider_base_url: address = stored.provider_base_url } = body
  if (address === stored.provider_base_url) return
  const message =
    'is required, because provider_base_url changes: the stored secret is not meant for the new address'
  const missing = secrets.filter((secret) => body[secret] === undefined)
  if (missing.length > 0) throw validationError(...missing.map((path) => ({ path, message })))
}

/** @throws not_found; validation_error for a new provider_base_url without its secrets */
export async function updateRoutingTarget(
  db: Kysely<Tables>,
  sealer: Sealer,
  { actor, id, body }: { actor: Actor; id: string; body: UpdateRoutingTarget },
): Promise<RoutingTargetRow> {
  const { provider_api_key, webhook_secret, brokers, ...fields } = body
  return audited(db, { actor, action: 'update', resourceType }, async (tx) => {
    const stored = await getRoutingTarget(tx, actor.tenantId, id, 'change')
    requireSecretsForNewAddress(stored, body)
    // The stored id is used, because the id in the path may be in capitals.
    const sealed = (secret: Secret, value: string | undefined) =>
      value === undefined ? {} : { [`${secret}_sealed`]: sealer.seal(value, secretPlace(secret, stored.id)) }
    const row = await tx
      .updateTable('routing_targets')
      .set({
        // The statement needs at least one column, even if the body is empty.
        name: stored.name,
        ...fields,
        ...(brokers && { brokers: JSON.stringify(brokers) }),
        ...sealed('provider_api_key', provider_api_key),
        ...sealed('webhook_secret', webhook_secret),
      })
      .where('tenant_id', '=', actor.tenantId)
      .where('id', '=', stored.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return {
      before: routingTargetShape(stored),
      after: { ...routingTargetShape(row), ...changedSecrets(body) },
      result: row,
    }
  })
}

/** The audit log records that a secret was changed, but not the secret. */
const changedSecrets = (body: UpdateRoutingTarget) => ({
  provider_api_key_changed: body.provider_api_key !== undefined,
  webhook_secret_changed: body.webhook_secret !== undefined,
})

/** @throws not_found; routing_target_in_use while a group uses it */
export async function deleteRoutingTarget(db: Kysely<Tables>, actor: Actor, id: string): Promise<void> {
  await audited(db, { actor, action: 'delete', resourceType }, async (tx) => {
    // The lock conflicts with the lock that creating a group takes on its routing target.
    const row = await getRoutingTarget(tx, actor.tenantId, id, 'change')
    const group = await tx
      .selectFrom('enrollment_groups')
      .select('name')
      .where('tenant_id', '=', actor.tenantId)
      .where('routing_target_id', '=', id)
      .limit(1)
      .executeTakeFirst()
    if (group)
      throw new ApiError(
        'routing_target_in_use',
        `The enrollment group "${group.name}" uses this routing target. Assign its groups to another target, or delete them first.`,
      )
    await tx
      .deleteFrom('routing_targets')
      .where('tenant_id', '=', actor.tenantId)
      .where('id', '=', id)
      .execute()
    return { before: routingTargetShape(row) }
  })
}
