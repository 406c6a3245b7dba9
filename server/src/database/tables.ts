/** The schema as Kysely types. `migrations/` define it; `schema.sql` shows the result. */
import type { AccessTables } from './tables/access.ts'
import type { ActivityTables } from './tables/activity.ts'
import type { AlarmTables } from './tables/alarms.ts'
import type { AssetTables } from './tables/assets.ts'
import type { AuditTables } from './tables/audit.ts'
import type { CertificateTables } from './tables/certificates.ts'
import type { CommandTables } from './tables/commands.ts'
import type { DashboardTables } from './tables/dashboards.ts'
import type { FirmwareTables } from './tables/firmware.ts'
import type { IngestTables } from './tables/ingest.ts'
import type { JobTables } from './tables/jobs.ts'
import type { MethodTables } from './tables/methods.ts'
import type { MqttLimitTables } from './tables/mqtt-limits.ts'
import type { MqttTables } from './tables/mqtt.ts'
import type { NodeTables } from './tables/nodes.ts'
import type { NotificationTables } from './tables/notifications.ts'
import type { OnboardingAttemptTables } from './tables/onboarding-attempts.ts'
import type { OnboardingTables } from './tables/onboarding.ts'
import type { OrganizationTables } from './tables/organizations.ts'
import type { OutboxTables } from './tables/outbox.ts'
import type { ProviderTables } from './tables/providers.ts'
import type { ResourceTables } from './tables/resources.ts'
import type { SimulationTables } from './tables/simulations.ts'
import type { TimeseriesTables } from './tables/timeseries.ts'
import type { TreeTables } from './tables/tree.ts'
import type { UserTables } from './tables/users.ts'

export type { AlarmSignal, AlarmState } from './tables/alarms.ts'
export type { Contacts } from './tables/organizations.ts'

export interface Tables
  extends
    AccessTables,
    ActivityTables,
    AlarmTables,
    AssetTables,
    AuditTables,
    CertificateTables,
    CommandTables,
    DashboardTables,
    FirmwareTables,
    IngestTables,
    JobTables,
    MethodTables,
    MqttLimitTables,
    MqttTables,
    NodeTables,
    NotificationTables,
    OnboardingAttemptTables,
    OnboardingTables,
    OrganizationTables,
    OutboxTables,
    ProviderTables,
    ResourceTables,
    SimulationTables,
    TimeseriesTables,
    TreeTables,
    UserTables {}
