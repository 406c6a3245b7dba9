import type { Attack } from '../attack.ts'
import { makeAsset, makeModel } from '../bound-assets.ts'
import { countedText, repeated } from '../many.ts'

const item = { var: '' }
const conditions = [
  { '==': [{ in: [`${'a'.repeat(30_000)}b`, { var: 'text' }] }, { var: 'number' }] },
  {
    '>': [
      { reduce: [{ var: 'list' }, { '+': [{ var: 'accumulator' }, { var: 'current' }] }, 0] },
      { var: 'number' },
    ],
  },
  { some: [{ var: 'list' }, { '==': [{ cat: ['a'.repeat(20_000), item] }, 'b'] }] },
]
const COPIES = 20
const SMALL_MESSAGES = 2000
const deviceId = 'alarmed'

export const alarms: Attack = {
  name: 'alarms',
  about:
    'sixty alarms with the worst JSONLogic conditions on each message of 300 KB, and on 2,000 small ones after the last',
  async prepare({ attacker }) {
    await attacker.makeDevice(deviceId)
    const modelId = await makeModel(attacker, 'Alarmed')
    const bindings = ['text', 'list', 'number'].map((name) => ({ to: name, from: name }))
    for (let copy = 0; copy < COPIES; copy++)
      for (const condition of conditions)
        await attacker.make('POST', '/v1/alarms', {
          name: `Alarm ${copy}`,
          entityTypeId: modelId,
          condition: JSON.stringify(condition),
        })
    await makeAsset(attacker, { id: 'alarmed-asset', modelId, deviceId, bindings })
  },
  async run({ attacker }) {
    const device = await attacker.connectDevice(deviceId)
    const outcomes = await repeated(30, async (index) => {
      const list = Array.from({ length: 5000 }, (_, place) => place + index)
      const body = { text: 'a'.repeat(200_000), list, number: index }
      await device.publishAsync(`devices/${deviceId}/telemetry`, JSON.stringify(body), { qos: 1 })
      return 'PUBACK'
    })
    // The conditions still read the long text.
    const small = await repeated(SMALL_MESSAGES, async (number) => {
      await device.publishAsync(`devices/${deviceId}/telemetry`, JSON.stringify({ number }), { qos: 1 })
      return 'PUBACK'
    })
    return countedText([...outcomes, ...small])
  },
}
