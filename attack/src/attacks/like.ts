import type { Attack } from '../attack.ts'
import { countedText, repeated } from '../many.ts'
import { sampleSpan, storeTexts } from '../stored-samples.ts'

const clientId = 'like'

export const like: Attack = {
  name: 'like',
  about: 'twenty-four queries at once, each with a LIKE that compares a long pattern with long values',
  prepare: ({ attacker }) => storeTexts(attacker, clientId, 24),
  async run({ attacker }) {
    const query = (pattern: string) =>
      attacker.request('POST', '/v1/timeseries/get', {
        ...sampleSpan(clientId, 'text'),
        whereClause: `value LIKE '${pattern}'`,
      })
    const long = await query(`%${'a'.repeat(1000)}b%`)
    const most = `%${'a'.repeat(100)}b${'a'.repeat(100)}%`
    const outcomes = await repeated(24, async () => (await query(most)).status)
    return `a pattern of 1,000 characters: ${long.status}; of 200: ${countedText(outcomes)}`
  },
}
