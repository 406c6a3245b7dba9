/** All privileges. [docs/access#privileges] */
export const privileges = [
  'asset_management',
  'dashboard_management',
  'user_management',
  'tree_management',
  'model_management',
  'alarm_management',
  'organization_management',
  'provider_management',
  'provider_client_management',
  'notification_management',
  'contact_group_management',
  'resource_item_management',
  'firmware_management',
  'data_view',
] as const

export type Privilege = (typeof privileges)[number]
