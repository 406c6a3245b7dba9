/** Holds the sequences against the table of normative statements. */
import { expect, test } from 'vitest'
import { sequenceGroups } from '../sequences/groups.ts'
import { timedSequences } from '../sequences/timed.ts'
import { statements311 } from './mqtt-3-1-1.ts'
import { statements5 } from './mqtt-5.ts'
import { operation5 } from './mqtt-5-operation.ts'

const sequences = [...Object.values(sequenceGroups).flat(), ...timedSequences]
const versions = [
  { name: 'MQTT 3.1.1', statements: statements311, shown: 'in3', count: 141 },
  { name: 'MQTT 5', statements: { ...statements5, ...operation5 }, shown: 'in5', count: 251 },
] as const

test.each(versions)('$name: each statement has a sequence or a reason', ({ statements, shown, count }) => {
  const named = sequences.flatMap((sequence) => sequence[shown]?.split(' ').filter(Boolean) ?? [])
  expect(Object.keys(statements)).toHaveLength(count)
  expect(named.filter((number) => !(number in statements))).toEqual([])
  const withoutSequence = Object.entries(statements).filter(
    ([number, statement]) => typeof statement === 'string' && !named.includes(number),
  )
  expect(withoutSequence).toEqual([])
  const shownAfterAll = Object.entries(statements).filter(
    ([number, statement]) => typeof statement !== 'string' && named.includes(number),
  )
  expect(shownAfterAll).toEqual([])
})
