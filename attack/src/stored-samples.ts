/** Stored samples of the attacker for expensive queries. */
import { repeated } from './many.ts'
import type { Tenant } from './tenant.ts'

const PER_MESSAGE = 5000
const AT_ONCE = 4

/** Imports texts of 700 KB each; an import is answered when it is stored. */
export async function storeTexts(tenant: Tenant, clientId: string, count: number): Promise<void> {
  await makeImportClient(tenant, clientId)
  for (let index = 0; index < count; index += AT_ONCE)
    await repeated(AT_ONCE, (place) =>
      send(tenant, clientId, { text: `${'a'.repeat(700_000)}${index + place}` }),
    )
}

/** Stores one number per second. */
export async function storeNumbers(tenant: Tenant, clientId: string, count: number): Promise<void> {
  await makeImportClient(tenant, clientId)
  const startMs = Date.now() - count * 1000
  for (let from = 0; from < count; from += PER_MESSAGE) {
    const metrics = Array.from({ length: PER_MESSAGE }, (_, index) => ({
      name: 'number',
      value: from + index + 0.25,
      timestamp: new Date(startMs + (from + index) * 1000).toISOString(),
    }))
    await send(tenant, clientId, { metrics }, 'structured-metrics')
  }
}

async function makeImportClient(tenant: Tenant, id: string): Promise<void> {
  const { organizationId } = tenant
  const provider = { type: 'import', displayName: 'Import', organizationId }
  await tenant.make('PUT', `/v1/providers/${id}-provider`, provider)
  await tenant.make('POST', `/v1/providers/${id}-provider/clients`, {
    id,
    displayName: id,
    organizationId,
  })
}

async function send(tenant: Tenant, clientId: string, body: object, parser = 'json'): Promise<void> {
  const response = await fetch(
    `${tenant.url}/v1/providers/${clientId}-provider/clients/${clientId}/telemetry`,
    {
      method: 'POST',
      headers: {
        ...tenant.headers(),
        'content-type': 'application/json',
        'x-provider-parser': parser,
      },
      body: JSON.stringify(body),
    },
  )
  if (!response.ok) throw new Error(`storing samples: ${response.status} ${await response.text()}`)
}

/** The request for all stored samples of a signal. */
export const sampleSpan = (clientId: string, name: string) => ({
  assetId: clientId,
  timeseriesName: [name],
  searchSpanFrom: new Date(Date.now() - 30 * 86_400_000).toISOString(),
  searchSpanTo: new Date(Date.now() + 86_400_000).toISOString(),
})
