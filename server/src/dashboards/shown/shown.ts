/**
 * What a dashboard shows: all that an API token for it can read. [docs/dashboards#tokens]
 */
import type { ResourceType } from '../../access/schema.ts'

/** Assets of one variable, which the console shows too. */
export const MAX_ASSETS_OF_VARIABLE = 50

export interface Shown {
  dashboardId: string
  /** The dashboard itself, and those that stand in it. */
  dashboards: ReadonlySet<string>
  /** Assets that its widgets name, with their telemetry and alarms, and provider clients with such an id. */
  owners: ReadonlySet<string>
  /** Places that are the value of a variable, with those below them. */
  nodes: ReadonlySet<string>
  /** Pictures and floor plans. */
  resources: ReadonlySet<string>
  /** Rules whose alarms are listed for all assets. */
  alarmIds: ReadonlySet<string> | 'all'
}

const none: ReadonlySet<string> = new Set()

/** Ids of the objects of a type. */
export function listShown(shown: Shown, type: ResourceType): ReadonlySet<string> {
  if (type === 'dashboard') return shown.dashboards
  if (type === 'asset' || type === 'provider_client') return shown.owners
  if (type === 'node') return shown.nodes
  return type === 'resource_item' ? shown.resources : none
}
