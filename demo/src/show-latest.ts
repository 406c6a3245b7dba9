import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from './platform.ts'

/** Shows the query for a pump's latest temperature and its answer, as soon as there is a sample. */
export async function showLatest({ url, call }: Platform, assetId: string): Promise<string> {
  const timeseries = [{ name: 'temperature', type: 'telemetry' }]
  const body = { items: [{ assetId, componentId: null, timeseries }] }
  const ask = () => call<{ items: unknown[] }>('POST', '/v1/timeseries/get/last', body)
  let answer = await ask()
  for (; answer.items.length === 0; answer = await ask()) await sleep(200)
  return `
The latest temperature of the first pump:

  curl --fail-with-body -sS ${url}/v1/timeseries/get/last \\
    -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
    -d '${JSON.stringify(body)}'

  ${JSON.stringify(answer)}
`
}
