import { expect, test } from 'vitest'
import { createCircuit } from './circuit.ts'

test('three failures in a row pause a provider; one call at a time tries it, until it answers', () => {
  let nowMs = 1000
  const circuit = createCircuit(() => nowMs)
  for (let failure = 0; failure < 2; failure++) circuit.recordFailure()
  circuit.recordAnswer()
  for (let failure = 0; failure < 3; failure++) {
    expect(circuit.next()).toBe('ask')
    circuit.recordFailure()
  }
  expect(circuit.next()).toBe('pause')
  nowMs += 5000
  expect([circuit.next(), circuit.next()]).toEqual(['try', 'pause'])
  circuit.recordFailure()
  nowMs += 4999
  expect(circuit.next()).toBe('pause')
  nowMs += 1
  expect(circuit.next()).toBe('try')
  circuit.recordAnswer()
  expect([circuit.next(), circuit.next()]).toEqual(['ask', 'ask'])
})

test('lateness pauses a provider too, but does not count as away', () => {
  const circuit = createCircuit(() => 1000)
  for (let failure = 0; failure < 3; failure++) circuit.recordLateness()
  expect([circuit.next(), circuit.isAway()]).toEqual(['pause', false])
  circuit.recordFailure()
  expect(circuit.isAway()).toBe(true)
  circuit.recordLateAnswer()
  expect([circuit.next(), circuit.isAway()]).toEqual(['pause', false])
})
