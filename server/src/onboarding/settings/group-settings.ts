/** What all devices of a group have in common in their settings: template, brokers, provider. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { createMemo } from '../../lib/memo.ts'
import { getEnrollmentGroup } from '../enrollment-groups/store.ts'
import type { ProviderApiOf } from '../provider-api/of-target.ts'
import type { ProviderApi } from '../provider-api/provider-api.ts'
import { compileTemplate, type TemplateValues } from '../response-template.ts'
import type { Broker } from '../routing-targets/schema.ts'
import { getRoutingTarget } from '../routing-targets/store.ts'
import type { Enrollment } from './find-enrollments.ts'

const REMEMBERED_GROUPS = 1000

export interface GroupSettings {
  /** The settings of one device, as JSON text. */
  render: (values: TemplateValues) => string
  brokers: Broker[]
  brokerSelection: 'first' | 'spread'
  provider: ProviderApi
}

/**
 * Remembered for one version of the group and its target: the devices of a storm read a template once, and the first
 * request after a change sees it. The result throws not_found for a group that was deleted just now.
 */
export function createGroupSettings(db: Kysely<Tables>, providerOf: ProviderApiOf) {
  const remembered = createMemo<string, Promise<GroupSettings>>(REMEMBERED_GROUPS)
  return (enrollment: Enrollment): Promise<GroupSettings> => {
    const key = `${enrollment.groupId} ${enrollment.groupVersion}`
    const known = remembered.get(key)
    if (known) return known
    const settings = readGroupSettings(db, providerOf, enrollment)
    remembered.set(key, settings)
    settings.catch(() => remembered.delete(key))
    return settings
  }
}

async function readGroupSettings(
  db: Kysely<Tables>,
  providerOf: ProviderApiOf,
  { tenantId, groupId }: Enrollment,
): Promise<GroupSettings> {
  const group = await getEnrollmentGroup(db, tenantId, groupId)
  const target = await getRoutingTarget(db, tenantId, group.routing_target_id)
  return {
    render: compileTemplate(group.response_template),
    brokers: target.brokers,
    brokerSelection: target.broker_selection,
    provider: providerOf(target),
  }
}
