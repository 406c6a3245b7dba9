/** Addresses of pages, to spread into a link: `<Link {...links.device('mqtt', 'pump-7')}>`. */
export const links = {
  /** `links.explore({ signals: 'pump-7/-/telemetry/temperature', range: '24h' })` */
  explore: (search: Record<string, string> = {}) => ({ to: '/explore', search }),
  /** `links.alarms({ severity: '4', asset: 'pump-7' })` */
  alarms: (search: Record<string, string> = {}) => ({ to: '/alarms', search }),
  alarm: (alarmStatusId: string, search: Record<string, string> = {}) => ({
    to: '/alarms/$alarmStatusId',
    params: { alarmStatusId },
    search,
  }),
  assets: (search: Record<string, string> = {}) => ({ to: '/assets', search }),
  asset: (assetId: string, search: Record<string, string> = {}) => ({
    to: '/assets/$assetId',
    params: { assetId },
    search,
  }),
  dashboards: (search: Record<string, string> = {}) => ({ to: '/dashboards', search }),
  dashboard: (dashboardId: string, search: Record<string, string> = {}) => ({
    to: '/dashboards/$dashboardId',
    params: { dashboardId },
    search,
  }),
  editDashboard: (dashboardId: string) => ({ to: '/dashboards/$dashboardId/edit', params: { dashboardId } }),
  devices: (search: Record<string, string> = {}) => ({ to: '/devices', search }),
  device: (providerId: string, clientId: string, search: Record<string, string> = {}) => ({
    to: '/devices/$providerId/$clientId',
    params: { providerId, clientId },
    search,
  }),
  files: (search: Record<string, string> = {}) => ({ to: '/files', search }),
  file: (resourceId: string, search: Record<string, string> = {}) => ({
    to: '/files/$resourceId',
    params: { resourceId },
    search,
  }),
  settings: () => ({ to: '/settings' }),
  tenants: () => ({ to: '/settings/tenants' }),
  tenant: (tenantId: string, search: Record<string, string> = {}) => ({
    to: '/settings/tenants/$tenantId',
    params: { tenantId },
    search,
  }),
  /** `links.webhooks({ provider: 'mqtt' })` */
  webhooks: (search: Record<string, string> = {}) => ({ to: '/settings/webhooks', search }),
  webhook: (providerId: string, webhookId: string) => ({
    to: '/settings/webhooks/$providerId/$webhookId',
    params: { providerId, webhookId },
  }),
  system: () => ({ to: '/system' }),
  /** `links.jobs({ state: 'failed' })` */
  jobs: (search: Record<string, string> = {}) => ({ to: '/system/jobs', search }),
  onboarding: () => ({ to: '/onboarding' }),
  targets: (search: Record<string, string> = {}) => ({ to: '/onboarding/targets', search }),
  newTarget: () => ({ to: '/onboarding/targets/new' }),
  target: (targetId: string, search: Record<string, string> = {}) => ({
    to: '/onboarding/targets/$targetId',
    params: { targetId },
    search,
  }),
  groups: (search: Record<string, string> = {}) => ({ to: '/onboarding/groups', search }),
  /** `links.newGroup({ target: targetId })` */
  newGroup: (search: Record<string, string> = {}) => ({ to: '/onboarding/groups/new', search }),
  group: (groupId: string, search: Record<string, string> = {}) => ({
    to: '/onboarding/groups/$groupId',
    params: { groupId },
    search,
  }),
  keys: (search: Record<string, string> = {}) => ({ to: '/onboarding/keys', search }),
  /** `links.onboardingDevices({ group: groupId, key: 'old_key' })` */
  onboardingDevices: (search: Record<string, string> = {}) => ({ to: '/onboarding/devices', search }),
  importDevices: (search: Record<string, string> = {}) => ({ to: '/onboarding/devices/import', search }),
  onboardingDevice: (groupId: string, deviceId: string, search: Record<string, string> = {}) => ({
    to: '/onboarding/groups/$groupId/devices/$deviceId',
    params: { groupId, deviceId },
    search,
  }),
  certificates: (search: Record<string, string> = {}) => ({ to: '/onboarding/certificates', search }),
  trace: (search: Record<string, string> = {}) => ({ to: '/onboarding/trace', search }),
  firstDevice: (search: Record<string, string> = {}) => ({ to: '/onboarding/first-device', search }),
  bindings: (assetId: string, search: Record<string, string> = {}) => ({
    to: '/assets/$assetId/bindings',
    params: { assetId },
    search,
  }),
  /** The binding of one endpoint of an asset; the component is `-` for the root. */
  binding: (
    assetId: string,
    { component, kind, name }: { component: string; kind: string; name: string },
  ) => ({
    to: '/assets/$assetId/bindings/$componentId/$kind/$name',
    params: { assetId, componentId: component, kind, name },
  }),
  notifications: (search: Record<string, string> = {}) => ({ to: '/notifications', search }),
  newNotification: (search: Record<string, string> = {}) => ({ to: '/notifications/new', search }),
  notification: (notificationId: string, search: Record<string, string> = {}) => ({
    to: '/notifications/$notificationId',
    params: { notificationId },
    search,
  }),
  contactGroups: (search: Record<string, string> = {}) => ({ to: '/contact-groups', search }),
  newContactGroup: (search: Record<string, string> = {}) => ({ to: '/contact-groups/new', search }),
  contactGroup: (contactGroupId: string, search: Record<string, string> = {}) => ({
    to: '/contact-groups/$contactGroupId',
    params: { contactGroupId },
    search,
  }),
  rules: (search: Record<string, string> = {}) => ({ to: '/rules', search }),
  newRule: (search: Record<string, string> = {}) => ({ to: '/rules/new', search }),
  rule: (alarmId: string, search: Record<string, string> = {}) => ({
    to: '/rules/$alarmId',
    params: { alarmId },
    search,
  }),
  /** The list of deployments: `links.firmware({ ended: 'no', failing: 'yes' })` */
  firmware: (search: Record<string, string> = {}) => ({ to: '/firmware', search }),
  releases: (search: Record<string, string> = {}) => ({ to: '/firmware/releases', search }),
  newRelease: () => ({ to: '/firmware/releases/new' }),
  release: (releaseId: string, search: Record<string, string> = {}) => ({
    to: '/firmware/releases/$releaseId',
    params: { releaseId },
    search,
  }),
  deploymentTemplates: (search: Record<string, string> = {}) => ({ to: '/firmware/templates', search }),
  /** `links.newDeploymentTemplate({ from: templateId })` begins with a copy. */
  newDeploymentTemplate: (search: Record<string, string> = {}) => ({ to: '/firmware/templates/new', search }),
  deploymentTemplate: (templateId: string) => ({
    to: '/firmware/templates/$templateId',
    params: { templateId },
  }),
  /** `links.newDeployment({ release: releaseId })` */
  newDeployment: (search: Record<string, string> = {}) => ({ to: '/firmware/deployments/new', search }),
  deployment: (deploymentId: string, search: Record<string, string> = {}) => ({
    to: '/firmware/deployments/$deploymentId',
    params: { deploymentId },
    search,
  }),
  simulations: (search: Record<string, string> = {}) => ({ to: '/simulations', search }),
  newSimulation: () => ({ to: '/simulations/new' }),
  simulation: (simulationId: string, search: Record<string, string> = {}) => ({
    to: '/simulations/$simulationId',
    params: { simulationId },
    search,
  }),
  models: (search: Record<string, string> = {}) => ({ to: '/models', search }),
  model: (modelId: string, search: Record<string, string> = {}) => ({
    to: '/models/$modelId',
    params: { modelId },
    search,
  }),
  editModel: (modelId: string, search: Record<string, string> = {}) => ({
    to: '/models/$modelId/edit',
    params: { modelId },
    search,
  }),
  people: (search: Record<string, string> = {}) => ({ to: '/people', search }),
  user: (userId: string, search: Record<string, string> = {}) => ({
    to: '/people/$userId',
    params: { userId },
    search,
  }),
  userGroups: (search: Record<string, string> = {}) => ({ to: '/people/groups', search }),
  userGroup: (groupId: string, search: Record<string, string> = {}) => ({
    to: '/people/groups/$groupId',
    params: { groupId },
    search,
  }),
  signInAt: () => ({ to: '/people/sign-in' }),
  organizations: (search: Record<string, string> = {}) => ({ to: '/organizations', search }),
  organization: (organizationId: string, search: Record<string, string> = {}) => ({
    to: '/organizations/$organizationId',
    params: { organizationId },
    search,
  }),
  accessList: (search: Record<string, string> = {}) => ({ to: '/access', search }),
  /** `links.access('asset', 'pump-7', { tab: 'why', subject: userId })` */
  access: (type: string, id: string, search: Record<string, string> = {}) => ({
    to: '/access/$type/$id',
    params: { type, id },
    search,
  }),
  /** `links.audit({ type: 'asset', id: 'pump-7' })` */
  audit: (search: Record<string, string> = {}) => ({ to: '/audit', search }),
  apiTokens: (search: Record<string, string> = {}) => ({ to: '/api-tokens', search }),
  createModel: (search: Record<string, string> = {}) => ({ to: '/models/create', search }),
}

export interface PageLink {
  to: string
  params?: Record<string, string>
  search?: Record<string, string>
}
