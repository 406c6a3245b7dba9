import type { TelemetryEvent } from '@gangway/client'
import { describe, expect, test } from 'vitest'
import { type Finding, hasReached, sortFindings } from './finding.ts'
import { findJsonFault, readDeadLetters } from './read-dead-letters.ts'
import { readValues } from './read-values.ts'

const HOUR_MS = 3_600_000
const nowMs = Date.parse('2026-05-01T12:00:00Z')

const makeFinding = (fields: Partial<Finding>): Finding => ({
  key: JSON.stringify(fields),
  at: nowMs,
  state: 'bad',
  stage: 'message',
  event: 'message',
  code: 'not_json',
  message: null,
  advice: null,
  count: 1,
  address: null,
  cures: [],
  ...fields,
})
const listStates = (findings: Finding[]) =>
  sortFindings(findings).map(({ code, isSettled }) => `${code} ${isSettled ? 'over' : 'open'}`)

describe('findJsonFault', () => {
  test.each([
    ['comma', '{"temp": 21,5}'],
    ['single-quotes', "{'temp': 21.5}"],
    ['trailing-comma', '{"temp": 21.5,}'],
    ['not-a-number', '{"temp": NaN}'],
    ['not-a-number', '{"running": True}'],
    ['no-quotes', '{temp: 21.5}'],
    ['cut-off', '{"temp": {"inside": 21.5'],
  ] as const)('%s: %s', (fault, payload) => expect(findJsonFault(payload)).toBe(fault))

  test('what stands in a text is no fault', () => {
    expect(findJsonFault('{"note": "it\'s 21,5, {a: NaN,}"} rest')).toBeUndefined()
    expect(findJsonFault('hello')).toBeUndefined()
  })
})

describe('sortFindings', () => {
  test('the newest is first, and at the same time the later stage', () => {
    const findings = [
      makeFinding({ code: 'first', at: nowMs - 1000 }),
      makeFinding({ code: 'settings', stage: 'settings', at: nowMs }),
      makeFinding({ code: 'value', stage: 'value', at: nowMs }),
    ]
    expect(sortFindings(findings).map(({ code }) => code)).toEqual(['value', 'settings', 'first'])
  })

  test('a success settles older faults of its stage and of those before, and no others', () => {
    const findings = [
      makeFinding({ code: 'after', stage: 'settings', at: nowMs + 1 }),
      makeFinding({ code: 'connected', stage: 'connection', state: 'good', at: nowMs }),
      makeFinding({ code: 'same', stage: 'connection', at: nowMs - 1 }),
      makeFinding({ code: 'before', stage: 'network', at: nowMs - 2 }),
      makeFinding({ code: 'later', stage: 'message', at: nowMs - 3 }),
    ]
    expect(listStates(findings)).toEqual([
      'after open',
      'connected open',
      'same over',
      'before over',
      'later open',
    ])
  })
})

test('a device that was provisioned has not signed in', () => {
  const provisioned = makeFinding({ state: 'good', stage: 'registration', event: 'provisioning' })
  const refused = makeFinding({ stage: 'connection', event: 'mqtt_sign_in' })
  expect(hasReached('registration', [refused, provisioned])).toBe(true)
  expect(hasReached('connection', [refused, provisioned])).toBe(false)
  const stored = makeFinding({ state: 'good', stage: 'value', event: 'value' })
  expect(hasReached('connection', [stored, provisioned])).toBe(true)
})

describe('the clock of the device', () => {
  const makeValues = (fields: Partial<TelemetryEvent>) =>
    new Map([['temp', [{ timeseriesName: 'temp', value: 21, ...fields } as TelemetryEvent]]])
  const badJson = readDeadLetters([
    {
      id: '1',
      receivedAt: new Date(nowMs - 1000).toISOString(),
      reason: 'not_json',
      payload: '{"temp": 21,5}',
      payloadEncoding: 'utf8',
    } as Parameters<typeof readDeadLetters>[0][number],
  ])
  const ago = (ms: number) => new Date(nowMs - ms).toISOString()
  const states = (values: Partial<TelemetryEvent>) =>
    listStates([...badJson, ...readValues(makeValues(values), nowMs)]).find((text) =>
      text.startsWith('not_json'),
    )

  test('is ahead: a value that came before the fault does not settle it', () => {
    expect(states({ time: ago(-HOUR_MS), receivedAt: ago(2000) })).toBe('not_json open')
    expect(badJson[0]).toMatchObject({ hint: 'comma', cures: ['copy-payload'] })
  })

  test('is ahead: a value that came after the fault settles it', () => {
    expect(states({ time: ago(-HOUR_MS), receivedAt: ago(0) })).toBe('not_json over')
  })

  test('is behind: a value that came after the fault settles it', () => {
    expect(states({ time: ago(HOUR_MS), receivedAt: ago(0) })).toBe('not_json over')
  })

  test('is behind: a value that came before the fault does not settle it', () => {
    expect(states({ time: ago(HOUR_MS), receivedAt: ago(2000) })).toBe('not_json open')
  })

  test('is ahead, and the page was opened later: nobody knows when the value came', () => {
    expect(states({ time: ago(-HOUR_MS) })).toBe('not_json open')
  })

  test('is right: a value without a time of arrival came when it was measured', () => {
    expect(states({ time: ago(0) })).toBe('not_json over')
    expect(states({ time: ago(2000) })).toBe('not_json open')
  })
})
