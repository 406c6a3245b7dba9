import { expect, test } from 'vitest'
import { makeBand } from '../../pages/rules/spans.ts'
import type { ChartContent } from './model.ts'
import { makePicture, readValue } from './picture.ts'

test('a state that is known at all times lasts until the next one, however regular the changes are', () => {
  const range = { from: 0, to: 1000 }
  const samples = makeBand([{ from: 900, to: 950, state: 'active' }], 'idle', range)
  const band = { id: 'band', label: 'Band', samples }
  const draw = (isGapless: boolean) => {
    const content = {
      series: [{ ...band, isGapless }],
      range,
      scale: {},
      offline: [],
    } as unknown as ChartContent
    const steps = new WeakMap()
    const picture = makePicture(content, { width: 1000, steps, nowMs: 1000 })
    const reading = readValue(picture, content, { series: 0, time: 500, steps })
    return [picture.runs[0]!.map(({ from, to }) => [from, to]), reading && samples.states![reading.value]]
  }
  expect(draw(false)[1]).toBe(null)
  expect(draw(true)).toEqual([
    [
      [0, 900],
      [900, 950],
      [950, 1000],
    ],
    'idle',
  ])
})
