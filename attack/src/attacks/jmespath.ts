import type { Attack } from '../attack.ts'
import { countedText, repeated } from '../many.ts'

/** The expressions that take the most work for an input of the permitted size. */
const expressions = [
  'sort_by(list, &s)[*].s',
  "{a: join('-', list[*].s), b: reverse(join('', list[*].s))}",
  `{${Array.from({ length: 9 }, (_, index) => `k${index}: @`).join(', ')}}`,
  'list[*].[@, @, @] | [] | []',
]
const SIZES = [200, 2000, 20_000]

export const jmespath: Attack = {
  name: 'jmespath',
  about: 'JMESPath expressions that sort and repeat, over payloads up to their bound',
  async run({ attacker }) {
    const outcomes = await repeated(expressions.length * SIZES.length * 2, async (index) => {
      const expression = expressions[index % expressions.length]!
      const length = SIZES[index % SIZES.length]!
      const list = Array.from({ length }, (_, place) => ({ s: `${(place * 7919) % 10_007}` }))
      const payload = JSON.stringify({ list })
      const body = { parser: 'jmespath', options: { expression }, payload }
      return (await attacker.request('POST', '/v1/parsers/try', body)).status
    })
    return countedText(outcomes)
  },
}
