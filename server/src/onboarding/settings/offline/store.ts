/** The last known keys of devices, sealed. */
import type pg from 'pg'
import { coalesce } from '../../../lib/coalesce.ts'
import { type Sealer, sealedPlace } from '../../../lib/seal.ts'
import type { Runtime } from '../../../runtime.ts'
import type { Credentials } from '../../provider-api/provider-api.ts'

export interface DevicePlace {
  tenantId: string
  groupId: string
  deviceId: string
  /** The routing target and the address of the provider. */
  provider: string
}

export interface RegisteredPlace extends DevicePlace {
  /** The registration for which the provider answered. */
  registeredAt: string
}

export interface StoredCredentials extends Credentials {
  ageSeconds: number
}

interface Row {
  place: number
  provider: string
  credentials_sealed: Buffer
  age_seconds: number
}

const place = ({ groupId, deviceId }: DevicePlace) =>
  sealedPlace('onboarding_credentials', 'credentials_sealed', groupId, deviceId)

type FinderParts = Pick<Runtime, 'pool' | 'sealer' | 'log'>

export const createCredentialsFinder = (
  parts: FinderParts,
): ((device: DevicePlace) => Promise<StoredCredentials | undefined>) =>
  coalesce((devices) => findCredentials(parts, devices), {
    maxBatch: 500,
    concurrency: 4,
    gathers: true,
  })

/** @returns in the order of the devices: undefined for a device without keys of this provider, or one that was deleted */
export async function findCredentials(
  { pool, sealer, log }: FinderParts,
  devices: DevicePlace[],
): Promise<(StoredCredentials | undefined)[]> {
  const { rows } = await pool.query<Row>({
    name: 'find-onboarding-credentials',
    text: `select asked.place::int, c.provider, c.credentials_sealed,
        extract(epoch from now() - c.received_at)::float8 as age_seconds
      from unnest($1::text[], $2::uuid[], $3::text[]) with ordinality as asked (tenant_id, group_id, device_id, place)
      join onboarding_credentials c on c.enrollment_group_id = asked.group_id and c.device_id = asked.device_id
        and c.tenant_id = asked.tenant_id
      join onboarding_devices d on d.enrollment_group_id = c.enrollment_group_id and d.device_id = c.device_id
        and d.status = 'provisioned'`,
    values: listKeys(devices),
  })
  const found: (StoredCredentials | undefined)[] = devices.map(() => undefined)
  for (const { place: at, provider, credentials_sealed, age_seconds } of rows) {
    const device = devices[at - 1]!
    if (provider !== device.provider) continue
    try {
      const credentials = JSON.parse(sealer.open(credentials_sealed, place(device))) as Credentials
      found[at - 1] = { ...credentials, ageSeconds: Math.max(0, age_seconds) }
    } catch (err) {
      // A damaged row must not fail the other devices of the batch; the next answer of the provider replaces it.
      log.error({ err, device: device.deviceId, group: device.groupId }, 'stored keys cannot be opened')
    }
  }
  return found
}

export interface ReceivedCredentials extends RegisteredPlace {
  credentials: Credentials
  receivedAt: Date
}

/**
 * Writes no keys of a device that was deleted meanwhile, even if it was registered again, or of a group whose field is off.
 * The group is locked, so that a change of the field either comes first or deletes these keys with the others.
 */
export async function upsertCredentials(
  pool: pg.Pool,
  sealer: Sealer,
  received: ReceivedCredentials[],
): Promise<void> {
  await pool.query({
    name: 'upsert-onboarding-credentials',
    // Other nodes run the same statement, so all of them lock in a fixed order to avoid a deadlock.
    text: `insert into onboarding_credentials as known
        (tenant_id, enrollment_group_id, device_id, provider, credentials_sealed, received_at)
      select new.tenant_id, new.group_id, new.device_id, new.provider, new.sealed, new.received_at
      from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::bytea[], $6::timestamptz[],
        $7::timestamptz[]) as new (tenant_id, group_id, device_id, provider, sealed, received_at, registered_at)
      join enrollment_groups g on g.id = new.group_id and g.tenant_id = new.tenant_id and g.offline_settings
      join onboarding_devices d on d.enrollment_group_id = g.id and d.device_id = new.device_id
        and d.status = 'provisioned' and d.created_at = new.registered_at
      order by new.group_id, new.device_id
      for share of g for key share of d
      on conflict (enrollment_group_id, device_id) do update set provider = excluded.provider,
        credentials_sealed = excluded.credentials_sealed, received_at = excluded.received_at
      where known.received_at < excluded.received_at`,
    values: [
      ...listKeys(received),
      received.map(({ provider }) => provider),
      received.map((one) => sealer.seal(JSON.stringify(one.credentials), place(one))),
      received.map(({ receivedAt }) => receivedAt),
      received.map(({ registeredAt }) => registeredAt),
    ],
  })
}

export async function deleteCredentials(pool: pg.Pool, devices: RegisteredPlace[]): Promise<void> {
  await pool.query(
    `delete from onboarding_credentials c
     using unnest($1::text[], $2::uuid[], $3::text[], $4::timestamptz[]) as gone (tenant_id, group_id, device_id, registered_at)
     join onboarding_devices d on d.enrollment_group_id = gone.group_id and d.device_id = gone.device_id
       and d.created_at = gone.registered_at
     where c.tenant_id = gone.tenant_id and c.enrollment_group_id = gone.group_id and c.device_id = gone.device_id`,
    [...listKeys(devices), devices.map(({ registeredAt }) => registeredAt)],
  )
}

const listKeys = (devices: DevicePlace[]) => [
  devices.map(({ tenantId }) => tenantId),
  devices.map(({ groupId }) => groupId),
  devices.map(({ deviceId }) => deviceId),
]
