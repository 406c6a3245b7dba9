import type alarms from './en/alarms.ts'
import type certificates from './en/certificates.ts'
import type assets from './en/assets.ts'
import type bindings from './en/bindings.ts'
import type charts from './en/charts.ts'
import type common from './en/common.ts'
import type dashboardEditor from './en/dashboardEditor.ts'
import type dashboards from './en/dashboards.ts'
import type devices from './en/devices.ts'
import type deployments from './en/deployments.ts'
import type explore from './en/explore.ts'
import type doctor from './en/doctor.ts'
import type files from './en/files.ts'
import type firstDevice from './en/firstDevice.ts'
import type firmware from './en/firmware.ts'
import type groups from './en/groups.ts'
import type home from './en/home.ts'
import type keys from './en/keys.ts'
import type kiosk from './en/kiosk.ts'
import type onboarding from './en/onboarding.ts'
import type onboardingDevices from './en/onboardingDevices.ts'
import type targets from './en/targets.ts'
import type models from './en/models.ts'
import type trace from './en/trace.ts'
import type notifications from './en/notifications.ts'
import type rules from './en/rules.ts'
import type access from './en/access.ts'
import type apiTokens from './en/apiTokens.ts'
import type audit from './en/audit.ts'
import type organizations from './en/organizations.ts'
import type people from './en/people.ts'
import type schema from './en/schema.ts'
import type settings from './en/settings.ts'
import type simulations from './en/simulations.ts'
import type shell from './en/shell.ts'
import type system from './en/system.ts'

/** The areas of the catalogue. A new area is a file in each language's folder and a line here. */
export interface Catalogue {
  alarms: typeof alarms
  certificates: typeof certificates
  assets: typeof assets
  bindings: typeof bindings
  charts: typeof charts
  common: typeof common
  dashboardEditor: typeof dashboardEditor
  dashboards: typeof dashboards
  devices: typeof devices
  deployments: typeof deployments
  explore: typeof explore
  doctor: typeof doctor
  files: typeof files
  firstDevice: typeof firstDevice
  firmware: typeof firmware
  groups: typeof groups
  home: typeof home
  keys: typeof keys
  kiosk: typeof kiosk
  onboarding: typeof onboarding
  onboardingDevices: typeof onboardingDevices
  targets: typeof targets
  models: typeof models
  trace: typeof trace
  notifications: typeof notifications
  rules: typeof rules
  access: typeof access
  apiTokens: typeof apiTokens
  audit: typeof audit
  organizations: typeof organizations
  people: typeof people
  schema: typeof schema
  settings: typeof settings
  simulations: typeof simulations
  shell: typeof shell
  system: typeof system
}

export type Area = keyof Catalogue

/** What another language must have: the same keys, and functions of the same parameters. */
export type Translation<A extends Area> = Catalogue[A]
