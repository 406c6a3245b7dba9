/** Buttons that create something, by the privilege that the API asks for, and the page of the form. */
export const creationButtons: { list: string; button: string; privilege: string; form?: string }[] = [
  { list: '/rules', button: 'Create rule', privilege: 'alarm_management', form: '/rules/new' },
  {
    list: '/notifications',
    button: 'Create notification',
    privilege: 'notification_management',
    form: '/notifications/new',
  },
  {
    list: '/contact-groups',
    button: 'Create contact group',
    privilege: 'contact_group_management',
    form: '/contact-groups/new',
  },
  {
    list: '/firmware/releases',
    button: 'Create release',
    privilege: 'firmware_management',
    form: '/firmware/releases/new',
  },
  {
    list: '/firmware/templates',
    button: 'Create template',
    privilege: 'firmware_management',
    form: '/firmware/templates/new',
  },
  {
    list: '/firmware',
    button: 'New deployment',
    privilege: 'firmware_management',
    form: '/firmware/deployments/new',
  },
  {
    list: '/simulations',
    button: 'Create simulation',
    privilege: 'provider_client_management',
  },
  { list: '/devices', button: 'Create device', privilege: 'provider_client_management' },
  { list: '/assets', button: 'Create asset', privilege: 'asset_management' },
  { list: '/assets', button: 'Create node', privilege: 'tree_management' },
  { list: '/models', button: 'Create model', privilege: 'model_management', form: '/models/create' },
  { list: '/dashboards', button: 'Create dashboard', privilege: 'dashboard_management' },
  { list: '/files', button: 'Upload files', privilege: 'resource_item_management' },
  { list: '/people', button: 'Add person', privilege: 'user_management' },
  { list: '/people/groups', button: 'Create group', privilege: 'user_management' },
  { list: '/organizations', button: 'Create organization', privilege: 'organization_management' },
]
