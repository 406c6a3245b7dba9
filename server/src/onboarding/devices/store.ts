import { type Kysely, sql } from 'kysely'
import { type Actor, type AuditEntry, recordAudit, recordAudits } from '../../audit/record.ts'
import { pageAfter } from '../../database/page.ts'
import { contains } from '../../database/search.ts'
import type { Tables } from '../../database/tables.ts'
import type { DeviceRow } from '../../database/tables/onboarding.ts'
import { ApiError } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { formatTimestamp } from '../../http/shapes.ts'
import { stateAfter, statesBefore } from '../../lib/state-table.ts'
import { lastKeySlot } from './last-key-slot.ts'
import { transitions } from './states.ts'

export const deviceShape = (row: DeviceRow) => ({
  device_id: row.device_id,
  enrollment_group_id: row.enrollment_group_id,
  status: row.status,
  created_at: row.created_at.toISOString(),
  provisioned_at: formatTimestamp(row.provisioned_at),
  last_settings_at: formatTimestamp(row.last_settings_at),
  last_key_slot: row.last_key_slot,
  last_key_kind: row.last_key_kind,
})

const inGroup = (db: Kysely<Tables>, tenantId: string, groupId: string) =>
  db
    .selectFrom('onboarding_devices')
    .where('tenant_id', '=', tenantId)
    .where('enrollment_group_id', '=', groupId)

/** @throws device_not_registered, also for a soft-deleted device */
export async function getDevice(
  db: Kysely<Tables>,
  tenantId: string,
  groupId: string,
  deviceId: string,
): Promise<DeviceRow> {
  const row = await inGroup(db, tenantId, groupId)
    .selectAll()
    .select(lastKeySlot)
    .where('device_id', '=', deviceId)
    .where('status', '<>', 'deleted')
    .executeTakeFirst()
  if (!row) throw notRegistered(deviceId)
  return row
}

/** Accepts a soft-deleted device too. @throws device_not_registered */
export async function requireDeviceRecord(
  db: Kysely<Tables>,
  tenantId: string,
  groupId: string,
  deviceId: string,
): Promise<void> {
  const row = await inGroup(db, tenantId, groupId)
    .select('device_id')
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
  if (!row) throw notRegistered(deviceId)
}

const notRegistered = (deviceId: string) =>
  new ApiError(
    'device_not_registered',
    `The device ${deviceId} is not registered in this enrollment group. Add it first.`,
  )

/** Includes soft-deleted devices. */
export const listDevices = (
  db: Kysely<Tables>,
  tenantId: string,
  { groupId, search, page }: { groupId: string; search?: string; page: PageRequest },
) =>
  pageAfter(
    inGroup(db, tenantId, groupId)
      .selectAll()
      .select(lastKeySlot)
      .where(contains(search, ['device_id'])),
    'device_id',
    page,
  )

/** Returns those of the ids that are in the group and not soft-deleted. */
export async function listRegisteredIds(
  db: Kysely<Tables>,
  tenantId: string,
  groupId: string,
  deviceIds: string[],
) {
  const rows = await inGroup(db, tenantId, groupId)
    .select('device_id')
    .where('device_id', '=', sql<string>`any(${deviceIds}::text[])`)
    .where('status', '<>', 'deleted')
    .execute()
  return new Set(rows.map((row) => row.device_id))
}

/**
 * Registers devices in a group. Devices that are in the group already stay unchanged; a soft-deleted device is
 * registered again.
 * @param tx a transaction that has locked the group
 * @returns only the new registrations
 */
export async function insertDevices(tx: Kysely<Tables>, actor: Actor, groupId: string, deviceIds: string[]) {
  // A fixed order avoids a deadlock between two requests with the same devices.
  const ordered = deviceIds.toSorted()
  const { rows } = await sql<DeviceRow>`
    insert into onboarding_devices (tenant_id, enrollment_group_id, device_id, status)
    select ${actor.tenantId}, ${groupId}::uuid, unnest(${ordered}::text[]), 'registered'
    on conflict (enrollment_group_id, device_id) do update
      set status = excluded.status, created_at = now(), provisioned_at = null, last_settings_at = null,
        last_key_id = null, last_key_kind = null, deleted_at = null
      where onboarding_devices.status = any(${statesBefore(transitions, 'add')}::text[])
    returning *, null as last_key_slot`.execute(tx)
  await recordAudits(
    tx,
    actor,
    rows.map((row) => auditEntry('create', { after: row })),
  )
  return rows
}

const timestampColumns = { provision: 'provisioned_at', softDelete: 'deleted_at' } as const

/** @returns undefined when the event changes nothing in the device's state */
export async function updateDeviceStatus(
  tx: Kysely<Tables>,
  actor: Actor,
  { groupId, deviceId, event }: { groupId: string; deviceId: string; event: 'provision' | 'softDelete' },
): Promise<DeviceRow | undefined> {
  const before = await inGroup(tx, actor.tenantId, groupId)
    .selectAll()
    .select(lastKeySlot)
    .where('device_id', '=', deviceId)
    .where('status', 'in', statesBefore(transitions, event))
    .forUpdate()
    .executeTakeFirst()
  if (!before) return undefined
  const after = await tx
    .updateTable('onboarding_devices')
    .set({ status: stateAfter(transitions, before.status, event), [timestampColumns[event]]: sql`now()` })
    .where('tenant_id', '=', actor.tenantId)
    .where('enrollment_group_id', '=', groupId)
    .where('device_id', '=', deviceId)
    .returningAll()
    .returning(lastKeySlot)
    .executeTakeFirstOrThrow()
  if (event === 'softDelete')
    await tx
      .deleteFrom('onboarding_credentials')
      .where('tenant_id', '=', actor.tenantId)
      .where('enrollment_group_id', '=', groupId)
      .where('device_id', '=', deviceId)
      .execute()
  await recordAudit(tx, actor, auditEntry(event === 'provision' ? 'provision' : 'delete', { before, after }))
  return after
}

/** @throws device_not_registered */
export async function deleteDevice(
  tx: Kysely<Tables>,
  actor: Actor,
  groupId: string,
  deviceId: string,
): Promise<void> {
  const before = await tx
    .deleteFrom('onboarding_devices')
    .where('tenant_id', '=', actor.tenantId)
    .where('enrollment_group_id', '=', groupId)
    .where('device_id', '=', deviceId)
    .returningAll()
    .returning(lastKeySlot)
    .executeTakeFirst()
  if (!before) throw notRegistered(deviceId)
  await recordAudit(tx, actor, auditEntry('delete', { before }))
}

function auditEntry(
  action: string,
  { before, after }: { before?: DeviceRow; after?: DeviceRow },
): AuditEntry {
  return {
    action,
    resourceType: 'onboarding_device',
    resourceId: (after ?? before)!.device_id,
    before: before && deviceShape(before),
    after: after && deviceShape(after),
  }
}
