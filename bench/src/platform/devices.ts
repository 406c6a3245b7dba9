/** Creates devices with their own keys by functions of the server: through the API ten thousand would take minutes. */
import { inLanes } from '@gangway/server/dist/lib/in-lanes.js'
import { insertClient } from '@gangway/server/dist/providers/clients/store.js'
import { newKeyColumns, openKeys } from '@gangway/server/dist/providers/credentials/device-keys.js'
import type { DeviceKey } from '../mqtt/connection.ts'
import type { Installation } from './installation.ts'

const PROVIDER = 'mqtt'
const LANES = 6
const PER_TRANSACTION = 100

interface DeviceOptions {
  tenantId?: string
  /** The beginning of the ids. */
  prefix?: string
}

export async function insertDevices(
  platform: Pick<Installation, 'db' | 'sealer'>,
  count: number,
  { tenantId = 'default', prefix = 'bench' }: DeviceOptions = {},
): Promise<DeviceKey[]> {
  const { db, sealer } = platform
  const { organization_id } = await db
    .selectFrom('providers')
    .select('organization_id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', PROVIDER)
    .executeTakeFirstOrThrow()
  const keys = new Map<string, string>()
  const insertOne = async (tx: typeof db, id: string) => {
    const columns = await newKeyColumns(sealer, tenantId, id)
    keys.set(id, openKeys(sealer.open, { tenant_id: tenantId, id, ...columns })!.primaryKey)
    const row = {
      tenant_id: tenantId,
      provider_id: PROVIDER,
      id,
      organization_id,
      display_name: id,
      on_broker: true,
    }
    await insertClient(tx, { ...row, ...columns })
  }
  const ids = Array.from({ length: count }, (_, index) => deviceId(index, prefix))
  await inLanes(chunks(ids, PER_TRANSACTION), { lanes: LANES }, (chunk) =>
    db.transaction().execute(async (tx) => {
      for (const id of chunk) await insertOne(tx, id)
    }),
  )
  return ids.map((id) => ({ id, key: keys.get(id)! }))
}

export const deviceId = (index: number, prefix = 'bench') => `${prefix}-${String(index).padStart(6, '0')}`

const chunks = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
