/** Provider clients as ingest needs them, read from the database. */
import type { Context } from '../context.ts'
import type { Device } from './message.ts'

export type DeviceRow = Omit<Device, 'parse'> & { parser: unknown }

/** Columns of a `DeviceRow`, from `deviceTables`. */
export const deviceColumns = `
  client.number, client.id, client.tenant_id as "tenantId", tenant.number as "tenantNumber",
  client.provider_id as "providerId",
  coalesce(client.provider_data -> 'parser', provider.provider_data -> 'parser') as parser`

export const deviceTables = `
  provider_clients as client
  join tenants as tenant on tenant.id = client.tenant_id
  join providers as provider on provider.tenant_id = client.tenant_id and provider.id = client.provider_id`

/** @returns the row with its parser, and with all other columns that it has */
export const readDevice = <Row extends DeviceRow>(
  { parsers }: Pick<Context, 'parsers'>,
  { parser, ...device }: Row,
): Omit<Row, 'parser'> & Pick<Device, 'parse'> => ({ ...device, parse: parsers.ofStored(parser) })
