import type { ComponentType } from 'react'
import type { IconName } from './parts/Icon.tsx'
import type { Catalogue } from './words/catalogue.ts'

export interface PageRoute {
  /** Below `/console`, with parameters as `$name`. */
  path: string
  kind: 'list' | 'detail' | 'editor' | 'flow' | 'home'
  /** The name of the page in `words/<language>/shell.ts`, `pages`. */
  title: keyof Catalogue['shell']['pages']
  /** Where the rail and the palette show it; pages below another one have none. */
  rail?: { group: 'operate' | 'set-up' | 'administer'; icon: IconName; isOnPhone?: boolean }
  /** The icon under which the command palette lists the page, if it is not in the rail. */
  palette?: IconName
  page: () => Promise<{ default: ComponentType }>
}

/** Every page of the console. The rail follows this order. */
export const routes: PageRoute[] = [
  {
    path: '/',
    kind: 'home',
    title: 'home',
    rail: { group: 'operate', icon: 'home', isOnPhone: true },
    page: () => import('./pages/home/Home.tsx'),
  },
  {
    path: '/alarms',
    kind: 'list',
    title: 'alarms',
    rail: { group: 'operate', icon: 'alarm', isOnPhone: true },
    page: () => import('./pages/alarms/AlarmList.tsx'),
  },
  {
    path: '/alarms/$alarmStatusId',
    kind: 'detail',
    title: 'alarm',
    page: () => import('./pages/alarms/ActivationPage.tsx'),
  },
  {
    path: '/devices',
    kind: 'list',
    title: 'devices',
    rail: { group: 'operate', icon: 'devices', isOnPhone: true },
    page: () => import('./pages/devices/DeviceList.tsx'),
  },
  {
    path: '/devices/$providerId/$clientId',
    kind: 'detail',
    title: 'device',
    page: () => import('./pages/devices/DevicePage.tsx'),
  },
  {
    path: '/assets',
    kind: 'list',
    title: 'assets',
    rail: { group: 'operate', icon: 'assets' },
    page: () => import('./pages/assets/AssetList.tsx'),
  },
  {
    path: '/assets/$assetId',
    kind: 'detail',
    title: 'asset',
    page: () => import('./pages/assets/AssetPage.tsx'),
  },
  {
    path: '/explore',
    kind: 'detail',
    title: 'explore',
    rail: { group: 'operate', icon: 'explore' },
    page: () => import('./pages/explore/ExplorePage.tsx'),
  },
  {
    path: '/dashboards',
    kind: 'list',
    title: 'dashboards',
    rail: { group: 'operate', icon: 'dashboards', isOnPhone: true },
    page: () => import('./pages/dashboards/DashboardList.tsx'),
  },
  {
    path: '/dashboards/$dashboardId',
    kind: 'detail',
    title: 'dashboard',
    page: () => import('./pages/dashboards/DashboardPage.tsx'),
  },
  {
    path: '/dashboards/$dashboardId/edit',
    kind: 'editor',
    title: 'editDashboard',
    page: () => import('./pages/dashboards/edit/DashboardEditor.tsx'),
  },
  {
    path: '/onboarding',
    kind: 'home',
    title: 'onboarding',
    rail: { group: 'set-up', icon: 'onboarding' },
    page: () => import('./pages/onboarding/Onboarding.tsx'),
  },
  {
    path: '/onboarding/targets',
    kind: 'list',
    title: 'targets',
    palette: 'onboarding',
    page: () => import('./pages/onboarding/targets/TargetList.tsx'),
  },
  {
    path: '/onboarding/targets/new',
    kind: 'editor',
    title: 'newTarget',
    page: () => import('./pages/onboarding/targets/CreateTarget.tsx'),
  },
  {
    path: '/onboarding/targets/$targetId',
    kind: 'detail',
    title: 'target',
    page: () => import('./pages/onboarding/targets/TargetPage.tsx'),
  },
  {
    path: '/onboarding/groups',
    kind: 'list',
    title: 'groups',
    palette: 'onboarding',
    page: () => import('./pages/onboarding/groups/GroupList.tsx'),
  },
  {
    path: '/onboarding/groups/new',
    kind: 'editor',
    title: 'newGroup',
    page: () => import('./pages/onboarding/groups/CreateGroup.tsx'),
  },
  {
    path: '/onboarding/groups/$groupId',
    kind: 'editor',
    title: 'group',
    page: () => import('./pages/onboarding/groups/GroupPage.tsx'),
  },
  {
    path: '/onboarding/keys',
    kind: 'editor',
    title: 'keys',
    palette: 'onboarding',
    page: () => import('./pages/onboarding/keys/KeysPage.tsx'),
  },
  {
    path: '/onboarding/devices',
    kind: 'list',
    title: 'onboardingDevices',
    palette: 'devices',
    page: () => import('./pages/onboarding/devices/OnboardingDevices.tsx'),
  },
  {
    path: '/onboarding/devices/import',
    kind: 'flow',
    title: 'importDevices',
    palette: 'devices',
    page: () => import('./pages/onboarding/devices/ImportDevices.tsx'),
  },
  {
    path: '/onboarding/groups/$groupId/devices/$deviceId',
    kind: 'detail',
    title: 'onboardingDevice',
    page: () => import('./pages/onboarding/devices/DevicePage.tsx'),
  },
  {
    path: '/onboarding/certificates',
    kind: 'list',
    title: 'certificates',
    palette: 'onboarding',
    page: () => import('./pages/onboarding/certificates/CertificatesPage.tsx'),
  },
  {
    path: '/assets/$assetId/bindings',
    kind: 'list',
    title: 'bindings',
    page: () => import('./pages/bindings/BindingList.tsx'),
  },
  {
    path: '/assets/$assetId/bindings/$componentId/$kind/$name',
    kind: 'editor',
    title: 'binding',
    page: () => import('./pages/bindings/BindingEditor.tsx'),
  },
  {
    path: '/models',
    kind: 'list',
    title: 'models',
    rail: { group: 'set-up', icon: 'models' },
    page: () => import('./pages/models/ModelList.tsx'),
  },
  {
    path: '/models/create',
    kind: 'editor',
    title: 'model',
    page: () => import('./pages/models/CreateModel.tsx'),
  },
  {
    path: '/models/$modelId',
    kind: 'detail',
    title: 'model',
    page: () => import('./pages/models/ModelPage.tsx'),
  },
  {
    path: '/models/$modelId/edit',
    kind: 'editor',
    title: 'editModel',
    page: () => import('./pages/models/EditModel.tsx'),
  },
  {
    path: '/rules',
    kind: 'list',
    title: 'rules',
    rail: { group: 'set-up', icon: 'rules' },
    page: () => import('./pages/rules/RuleList.tsx'),
  },
  {
    path: '/rules/new',
    kind: 'editor',
    title: 'newRule',
    page: () => import('./pages/rules/CreateRule.tsx'),
  },
  {
    path: '/rules/$alarmId',
    kind: 'editor',
    title: 'rule',
    page: () => import('./pages/rules/RulePage.tsx'),
  },
  {
    path: '/notifications',
    kind: 'list',
    title: 'notifications',
    rail: { group: 'set-up', icon: 'mail' },
    page: () => import('./pages/notifications/NotificationList.tsx'),
  },
  {
    path: '/notifications/new',
    kind: 'editor',
    title: 'newNotification',
    page: () => import('./pages/notifications/CreateNotification.tsx'),
  },
  {
    path: '/notifications/$notificationId',
    kind: 'detail',
    title: 'notification',
    page: () => import('./pages/notifications/NotificationPage.tsx'),
  },
  {
    path: '/contact-groups',
    kind: 'list',
    title: 'contactGroups',
    palette: 'people',
    page: () => import('./pages/notifications/ContactGroupList.tsx'),
  },
  {
    path: '/contact-groups/new',
    kind: 'editor',
    title: 'newContactGroup',
    page: () => import('./pages/notifications/CreateContactGroup.tsx'),
  },
  {
    path: '/contact-groups/$contactGroupId',
    kind: 'editor',
    title: 'contactGroup',
    page: () => import('./pages/notifications/ContactGroupPage.tsx'),
  },
  {
    path: '/onboarding/trace',
    kind: 'list',
    title: 'trace',
    palette: 'onboarding',
    page: () => import('./pages/onboarding/trace/Trace.tsx'),
  },
  {
    path: '/onboarding/first-device',
    kind: 'flow',
    title: 'firstDevice',
    palette: 'plus',
    page: () => import('./pages/onboarding/first-device/FirstDevice.tsx'),
  },
  {
    path: '/firmware',
    kind: 'list',
    title: 'firmware',
    rail: { group: 'set-up', icon: 'firmware' },
    page: () => import('./pages/firmware/deployments/DeploymentList.tsx'),
  },
  {
    path: '/firmware/releases',
    kind: 'list',
    title: 'releases',
    palette: 'firmware',
    page: () => import('./pages/firmware/releases/ReleaseList.tsx'),
  },
  {
    path: '/firmware/releases/new',
    kind: 'editor',
    title: 'newRelease',
    page: () => import('./pages/firmware/releases/CreateRelease.tsx'),
  },
  {
    path: '/firmware/releases/$releaseId',
    kind: 'detail',
    title: 'release',
    page: () => import('./pages/firmware/releases/ReleasePage.tsx'),
  },
  {
    path: '/firmware/templates',
    kind: 'list',
    title: 'deploymentTemplates',
    palette: 'firmware',
    page: () => import('./pages/firmware/templates/TemplateList.tsx'),
  },
  {
    path: '/firmware/templates/new',
    kind: 'editor',
    title: 'newDeploymentTemplate',
    page: () => import('./pages/firmware/templates/CreateTemplate.tsx'),
  },
  {
    path: '/firmware/templates/$templateId',
    kind: 'detail',
    title: 'deploymentTemplate',
    page: () => import('./pages/firmware/templates/TemplatePage.tsx'),
  },
  {
    path: '/firmware/deployments/new',
    kind: 'flow',
    title: 'newDeployment',
    palette: 'firmware',
    page: () => import('./pages/firmware/deployments/NewDeployment.tsx'),
  },
  {
    path: '/firmware/deployments/$deploymentId',
    kind: 'detail',
    title: 'deployment',
    page: () => import('./pages/firmware/deployments/DeploymentPage.tsx'),
  },
  {
    path: '/simulations',
    kind: 'list',
    title: 'simulations',
    rail: { group: 'set-up', icon: 'simulations' },
    page: () => import('./pages/simulations/SimulationList.tsx'),
  },
  {
    path: '/simulations/new',
    kind: 'editor',
    title: 'newSimulation',
    page: () => import('./pages/simulations/CreateSimulation.tsx'),
  },
  {
    path: '/simulations/$simulationId',
    kind: 'detail',
    title: 'simulation',
    page: () => import('./pages/simulations/SimulationPage.tsx'),
  },
]
