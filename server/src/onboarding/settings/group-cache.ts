/** Caches what the settings of all devices of a group share: keys, template, brokers and provider. */
import type { Context } from '../../context.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { SLOTS, type Slot } from '../bootstrap-keys/slots.ts'
import { keyPlace } from '../bootstrap-keys/store.ts'
import { getEnrollmentGroup } from '../enrollment-groups/store.ts'
import type { GetProviderApi } from '../provider-api/create-provider-apis.ts'
import type { ProviderApi } from '../provider-api/provider-api.ts'
import { compileTemplate, type TemplateValues } from '../response-template.ts'
import type { Broker } from '../routing-targets/schema.ts'
import { getRoutingTarget } from '../routing-targets/store.ts'
import type { Enrollment } from './find-enrollments.ts'

const MAX_CACHED_GROUPS = 1000

export interface Group {
  id: string
  status: 'enabled' | 'disabled'
  bootstrapKeys: { slot: Slot; key: Buffer }[]
  /** Renders the settings of a device as JSON text. */
  render: (values: TemplateValues) => string
  brokers: Broker[]
  brokerSelection: 'first' | 'spread'
  provider: ProviderApi
}

/** @throws not_found for a group that has just been deleted */
export type GetGroup = (enrollment: Enrollment) => Promise<Group>

/**
 * An entry is valid for one version of the group and its routing target. A boot storm compiles a template and opens a
 * key only once, and the first request after a change sees the change.
 */
export function createGroupCache(ctx: Context, getProviderApi: GetProviderApi): GetGroup {
  const cache = createBoundedCache<string, Promise<Group>>(MAX_CACHED_GROUPS)
  return (enrollment) => {
    const key = `${enrollment.groupId} ${enrollment.groupVersion}`
    const known = cache.get(key)
    if (known) return known
    const group = loadGroup(ctx, getProviderApi, enrollment)
    cache.set(key, group)
    group.catch(() => cache.delete(key))
    return group
  }
}

async function loadGroup(
  { db, sealer }: Context,
  getProviderApi: GetProviderApi,
  { tenantId, groupId }: Enrollment,
): Promise<Group> {
  const group = await getEnrollmentGroup(db, tenantId, groupId)
  const target = await getRoutingTarget(db, tenantId, group.routing_target_id)
  return {
    id: groupId,
    status: group.status,
    bootstrapKeys: SLOTS.flatMap((slot) => {
      const sealed = group[`${slot}_key_sealed`]
      return sealed ? [{ slot, key: Buffer.from(sealer.open(sealed, keyPlace(slot, groupId))) }] : []
    }),
    render: compileTemplate(group.response_template),
    brokers: target.brokers,
    brokerSelection: target.broker_selection,
    provider: getProviderApi(target),
  }
}
