import type { Schemas } from '@gangway/client'
import type { Relation } from './objects.ts'

export type Privilege = Schemas['Privilege']['privilege']

/** All privileges, in the order in which pages show them. */
export const privileges: readonly Privilege[] = [
  'data_view',
  'alarm_management',
  'asset_management',
  'contact_group_management',
  'dashboard_management',
  'firmware_management',
  'model_management',
  'notification_management',
  'organization_management',
  'provider_management',
  'provider_client_management',
  'resource_item_management',
  'tree_management',
  'user_management',
]

/** The relation whose holder has the privilege: `asset_management` → `asset_manager`. */
export const holderRelation = (privilege: Privilege): Relation =>
  (privilege === 'data_view' ? 'data_viewer' : privilege.replace(/ment$/, 'r')) as Relation
