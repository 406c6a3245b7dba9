/** Creates releases, templates and deployments for tests, and devices that report statuses. */
import { type UpdateReport, advanceUpdates } from '../../src/firmware/updates/advance-updates.ts'
import { advanceDeployment } from '../../src/firmware/deployments/advance.ts'
import { insertParent } from '../../src/access/relations/store.ts'
import type { Platform, RequestOptions } from './platform.ts'
import { connectClients, insertNode } from './other-node.ts'

export const step = {
  name: 'firmware',
  displayName: 'Install',
  type: 'SetProperty',
  value: { url: '{{fileUrl}}', sha256: '{{fileSha256}}', release: '{{releaseName}}' },
}
export const status = {
  statusPropertyName: 'firmwareStatus',
  statusMap: {
    successStatuses: [{ value: 'Succeeded' }],
    failureStatuses: [{ value: 'Failed' }],
    rejectStatuses: [{ value: 'Rejected' }],
    cancelStatuses: [{ value: 'Cancelled' }],
  },
  statusType: 'ReportedProperty',
}

const made = async (platform: Platform, path: string, body: unknown): Promise<string> => {
  const answer = await platform.post(path, body)
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${JSON.stringify(answer.body)}`)
  return answer.body.id ?? answer.body.templateId
}

export function uploadFirmware(
  platform: Platform,
  content: string | Buffer<ArrayBuffer> = 'the firmware',
  { organizationId = platform.organizationId, ...options }: { organizationId?: string } & RequestOptions = {},
) {
  const form = new FormData()
  form.append('organizationId', organizationId)
  form.append('file', new Blob([content]), 'pump.bin')
  return platform.post('/v1/firmware/files', form, options)
}

/** Creates a release with a new file, unless the fields name one. */
export async function makeRelease(platform: Platform, fields: Record<string, unknown> = {}): Promise<string> {
  const { displayName = '1.0', organizationId } = {
    organizationId: platform.organizationId,
    ...fields,
  } as Record<string, unknown>
  const fileResourceId =
    'fileResourceId' in fields
      ? fields.fileResourceId
      : (await uploadFirmware(platform, `${displayName}`)).body.id
  const body = { ...fields, displayName, organizationId, fileResourceId }
  return made(platform, '/v1/firmware/releases', body)
}

export const makeTemplate = (platform: Platform, fields: object = {}): Promise<string> =>
  made(platform, '/v1/firmware/deployment-templates', {
    displayName: 'T',
    version: '1',
    steps: [step],
    status,
    organizationId: platform.organizationId,
    ...fields,
  })

export interface DeploymentFields {
  releaseId?: string
  deploymentTemplateId?: string
  deviceIds?: unknown
  [field: string]: unknown
}

export async function deploy(platform: Platform, fields: DeploymentFields, options: RequestOptions = {}) {
  const body = {
    displayName: 'D',
    organizationId: platform.organizationId,
    releaseId: fields.releaseId ?? (await makeRelease(platform)),
    deploymentTemplateId: fields.deploymentTemplateId ?? (await makeTemplate(platform)),
    ...fields,
  }
  return platform.post('/v1/firmware/deployments', body, options)
}

/** @returns its id, once its first wave has begun */
export async function deployed(platform: Platform, fields: DeploymentFields): Promise<string> {
  const { status: code, body } = await deploy(platform, fields)
  if (code !== 201) throw new Error(`deploying answered ${JSON.stringify(body)}`)
  await advanceDeployment(platform.ctx, body.id)
  return body.id
}

/** Runs the job until nothing changes any more. */
export async function advance(platform: Platform, id: string): Promise<void> {
  for (let round = 0; round < 3; round++) await advanceDeployment(platform.ctx, id)
}

let clients = 0

/** Provider clients of the built-in broker, in tenant `default`. */
export async function insertClients(
  { ctx, organizationId }: Platform,
  count: number,
  organization = organizationId,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `fw-client-${++clients}`)
  for (const id of ids) {
    await ctx.db
      .insertInto('provider_clients')
      .values({
        tenant_id: 'default',
        provider_id: 'mqtt',
        id,
        organization_id: organization,
        display_name: id,
        on_broker: true,
      })
      .execute()
    await insertParent(ctx.db, 'provider_client', { tenant_id: 'default', organization_id: organization, id })
  }
  return ids
}

const getClientNumber = async ({ ctx }: Platform, id: string): Promise<number> =>
  (
    await ctx.db
      .selectFrom('provider_clients')
      .select('number')
      .where('tenant_id', '=', 'default')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).number

/** Sets whether the device is connected. */
export async function setConnected(platform: Platform, ids: string[], connected: boolean): Promise<void> {
  const { db, pool } = platform.ctx
  const numbers = await Promise.all(ids.map((id) => getClientNumber(platform, id)))
  await db.deleteFrom('client_connections').where('client_number', 'in', numbers).execute()
  if (connected) await connectClients(pool, numbers, await insertNode(pool))
}

/** Applies reports like ingest, in the transaction that stores them. */
export async function report(platform: Platform, id: string, ...values: unknown[]): Promise<void> {
  const clientNumber = await getClientNumber(platform, id)
  const reports = values.map((value): UpdateReport => {
    const said = { firmwareStatus: value }
    return { clientNumber, reported: said, change: said }
  })
  await platform.ctx.db.transaction().execute((tx) => advanceUpdates(tx, reports))
}

export const getUpdate = async (platform: Platform, clientId: string) =>
  (await platform.get(`/v1/provider-client/firmware-update/status?providerClientId=${clientId}`)).body

export const getDeployment = async (platform: Platform, id: string) =>
  (await platform.get(`/v1/firmware/deployments/${id}`)).body

export const getDesired = async (platform: Platform, clientId: string) =>
  (await platform.get(`/v1/providers/mqtt/clients/${clientId}/properties/desired`)).body
