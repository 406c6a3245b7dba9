import type { Attack } from '../attack.ts'
import { makeAsset, makeModel } from '../bound-assets.ts'
import { countedText, repeated } from '../many.ts'

const value = { var: 'value' }
const item = { var: '' }
const long = 'a'.repeat(30_000)

/** Transforms of `text` or `list`, by the signal that they make. */
const hostile = [
  { from: 'text', to: 'number', transform: { if: [{ in: [`${long}b${long}`, value] }, 1, 0] } },
  { from: 'list', to: 'number', transform: { if: [{ all: [value, { cat: [long, item, long] }] }, 1, 0] } },
  {
    from: 'list',
    to: 'list',
    transform: { reduce: [value, { merge: [{ var: 'accumulator' }, { var: 'current' }] }, []] },
  },
  {
    from: 'list',
    to: 'number',
    transform: { reduce: [value, { reduce: [value, { var: 'current' }, 0] }, 0] },
  },
  { from: 'list', to: 'text', transform: { cat: [{ map: [value, { cat: [value, item] }] }] } },
]
const COPIES = 6
const deviceId = 'transforms'

export const transforms: Attack = {
  name: 'transforms',
  about:
    'messages of 300 KB and lists of 20,000 items, through thirty of the worst JSONLogic transforms each',
  async prepare({ attacker }) {
    await attacker.makeDevice(deviceId)
    const modelId = await makeModel(attacker, 'Transformed')
    for (const [index, binding] of hostile.entries())
      for (let copy = 0; copy < COPIES; copy++)
        await makeAsset(attacker, {
          id: `transformed-${index}-${copy}`,
          modelId,
          deviceId,
          bindings: [binding],
        })
  },
  async run({ attacker }) {
    const device = await attacker.connectDevice(deviceId)
    const list = Array.from({ length: 20_000 }, (_, index) => index)
    const outcomes = await repeated(20, async (index) => {
      const body = index % 2 ? { text: 'a'.repeat(300_000), index } : { list, index }
      await device.publishAsync(`devices/${deviceId}/telemetry`, JSON.stringify(body), { qos: 1 })
      return 'PUBACK'
    })
    const { bindings } = await attacker.make('GET', '/v1/assets/transformed-0-5/bindings')
    return `${countedText(outcomes)}; lastError: ${String(bindings[0].lastError?.message ?? bindings[0].lastError ?? 'none').slice(0, 160)}`
  },
}
