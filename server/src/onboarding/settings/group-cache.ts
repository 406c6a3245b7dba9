/** Caches what the settings of all devices of a group share: keys, template, brokers and provider. */
import type { Context } from '../../context.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import type { BootstrapKey, KeyPolicy } from '../bootstrap-keys/match-key.ts'
import { SLOTS } from '../bootstrap-keys/slots.ts'
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
  bootstrapKeys: BootstrapKey[]
  keyPolicy: KeyPolicy
  /** Renders the settings of a device as JSON text. */
  render: (values: TemplateValues) => string
  brokers: Broker[]
  brokerSelection: 'first' | 'spread'
  provider: ProviderApi
  /** Set if the last known keys are used while the provider is away. */
  offline?: { provider: string; maxAgeSeconds: number }
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
  const provider = getProviderApi(target)
  return {
    id: groupId,
    status: group.status,
    bootstrapKeys: SLOTS.flatMap((slot) => {
      const [id, sealed] = [group[`${slot}_key_id`], group[`${slot}_key_sealed`]]
      if (!id || !sealed) return []
      const text = sealer.open(sealed, keyPlace(slot, groupId))
      return [{ id, slot, text: Buffer.from(text), bytes: Buffer.from(text, 'base64') }]
    }),
    keyPolicy: group.key_policy,
    render: compileTemplate(group.response_template),
    brokers: target.brokers,
    brokerSelection: target.broker_selection,
    provider,
    ...(group.offline_settings &&
      provider.isRemote && {
        offline: {
          provider: `${target.id} ${target.provider_base_url}`,
          maxAgeSeconds: group.offline_settings_max_age_seconds,
        },
      }),
  }
}
