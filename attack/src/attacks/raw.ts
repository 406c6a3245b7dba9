import type { Attack } from '../attack.ts'
import { countedText, repeated } from '../many.ts'
import { sampleSpan, storeNumbers } from '../stored-samples.ts'

const clientId = 'raw'

export const raw: Attack = {
  name: 'raw',
  about: 'sixty queries at once for 100,000 samples each, raw and in buckets',
  prepare: ({ attacker }) => storeNumbers(attacker, clientId, 100_000),
  async run({ attacker }) {
    const outcomes = await repeated(60, async (index) => {
      const aggregation = index % 2 ? { aggregationType: 'avg', aggregationInterval: 'PT1S' } : {}
      const body = JSON.stringify({ ...sampleSpan(clientId, 'number'), ...aggregation })
      const headers = { ...attacker.headers(), 'content-type': 'application/json' }
      const response = await fetch(`${attacker.url}/v1/timeseries/get`, { method: 'POST', headers, body })
      // The body is discarded: parsing it here would also delay the other tenant's device.
      for await (const _chunk of response.body!);
      return response.status
    })
    return countedText(outcomes)
  },
}
