/** What all devices of a group have in common in their settings: keys, template, brokers, provider. */
import type { Context } from '../../context.ts'
import { createBoundedCache } from '../../lib/memo.ts'
import { SLOTS, type Slot } from '../bootstrap-keys/slots.ts'
import { keyPlace } from '../bootstrap-keys/store.ts'
import { getEnrollmentGroup } from '../enrollment-groups/store.ts'
import type { ProviderApiOf } from '../provider-api/of-target.ts'
import type { ProviderApi } from '../provider-api/provider-api.ts'
import { compileTemplate, type TemplateValues } from '../response-template.ts'
import type { Broker } from '../routing-targets/schema.ts'
import { getRoutingTarget } from '../routing-targets/store.ts'
import type { Enrollment } from './find-enrollments.ts'

const REMEMBERED_GROUPS = 1000

export interface Group {
  id: string
  status: 'enabled' | 'disabled'
  bootstrapKeys: { slot: Slot; key: Buffer }[]
  /** The settings of one device, as JSON text. */
  render: (values: TemplateValues) => string
  brokers: Broker[]
  brokerSelection: 'first' | 'spread'
  provider: ProviderApi
}

/** The result throws not_found for a group that was deleted just now. */
export type GroupOf = (enrollment: Enrollment) => Promise<Group>

/**
 * Remembered for one version of the group and its target: the devices of a storm read a template once and open a key
 * once, and the first request after a change sees it.
 */
export function createGroups(ctx: Context, providerOf: ProviderApiOf): GroupOf {
  const remembered = createBoundedCache<string, Promise<Group>>(REMEMBERED_GROUPS)
  return (enrollment) => {
    const key = `${enrollment.groupId} ${enrollment.groupVersion}`
    const known = remembered.get(key)
    if (known) return known
    const group = readGroup(ctx, providerOf, enrollment)
    remembered.set(key, group)
    group.catch(() => remembered.delete(key))
    return group
  }
}

async function readGroup(
  { db, sealer }: Context,
  providerOf: ProviderApiOf,
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
    provider: providerOf(target),
  }
}
