import { expect, test } from 'vitest'
import { interpretStatus, type InterpretedUpdate } from './interpret-status.ts'
import { MAX_LOGS } from './logs.ts'

const status = {
  statusPropertyName: 'fw',
  statusMap: {
    successStatuses: [{ value: 'ok' }, { value: { done: true } }],
    failureStatuses: [{ value: 'broken' }, { value: 0 }],
    rejectStatuses: [{ value: 'no' }],
    cancelStatuses: [{ value: null }, { value: 'stopped' }],
  },
  statusType: 'ReportedProperty' as const,
}
const running: InterpretedUpdate = {
  state: 'Running',
  currentStep: 1,
  stepDue: false,
  statusBefore: null,
  statusValue: null,
  logs: [],
}
const say = (update: InterpretedUpdate, value: unknown, steps = 1) =>
  interpretStatus(update, { status, steps, sha256: 'abc' }, value)

test.each([
  ['ok', 'Succeeded'],
  [{ done: true }, 'Succeeded'],
  [{ status: 'ok', version: '2' }, 'Succeeded'],
  ['broken', 'Failed'],
  [0, 'Failed'],
  [{ status: 'no' }, 'Rejected'],
  ['stopped', 'Cancelled'],
  ['okay', 'Running'],
  [{ done: true, more: 1 }, 'Running'],
  [['ok'], 'Running'],
  ['0', 'Running'],
])('%j makes it %s', (value, state) => {
  const after = say(running, value)
  expect(after).toMatchObject({ state, statusValue: value })
  expect(after.logs).toHaveLength(1)
})

test('a status from before the step is ignored until the device has reported another one', () => {
  const update = { ...running, statusBefore: 'ok' }
  const repeated = say(update, 'ok')
  expect(repeated).toMatchObject({ state: 'Running', statusBefore: 'ok', statusValue: null })
  expect(repeated.logs[0]).toMatchObject({ level: 'Info', message: expect.stringContaining('repeats') })
  const other = say(repeated, 'installing')
  expect(say(other, 'ok').state).toBe('Succeeded')
  expect(say(say(repeated, undefined), 'ok').state).toBe('Succeeded')
})

test('the success of a step makes the next one due, and a repetition changes nothing', () => {
  const first = say(running, 'ok', 2)
  expect(first).toMatchObject({ state: 'Running', stepDue: true })
  expect(say(first, { status: 'ok' }, 2)).toBe(first)
  const second = { ...first, stepDue: false, currentStep: 2, statusBefore: 'ok', statusValue: null }
  expect(say(say(second, 'installing', 2), 'ok', 2).state).toBe('Succeeded')
})

test('a status of another file is ignored', () => {
  const other = say(running, { status: 'ok', sha256: 'def' })
  expect(other).toMatchObject({ state: 'Running', statusValue: null })
  expect(other.logs[0]!.message).toContain('another file')
  expect(say(other, { status: 'ok', sha256: 'ABC' }).state).toBe('Succeeded')
})

test.each(['Ready', 'Succeeded', 'Failed', 'Cancelled'] as const)(
  'an update that is %s does not change',
  (state) => {
    const update = { ...running, state }
    expect(say(update, 'ok')).toBe(update)
  },
)

test('numeric progress changes the value but not the log, and the log is bounded', () => {
  let update = say(running, { status: 'downloading', percent: 1 })
  for (let percent = 2; percent <= 100; percent++) update = say(update, { status: 'downloading', percent })
  expect(update.statusValue).toEqual({ status: 'downloading', percent: 100 })
  expect(update.logs).toHaveLength(1)
  for (let word = 0; word < 100; word++) update = say(update, `word ${word} ${'x'.repeat(2000)}`)
  expect(update.logs).toHaveLength(MAX_LOGS)
  expect(update.logs.every(({ message }) => message.length <= 1000)).toBe(true)
})

test('a report is compared with hundreds of large statuses in a short time', () => {
  const list = (first: number) =>
    Array.from({ length: 100 }, (_, index) => ({ value: [...Array(1200).fill(1), first + index] }))
  const statusMap = {
    successStatuses: list(0),
    failureStatuses: list(100),
    rejectStatuses: list(200),
    cancelStatuses: list(300),
  }
  const report = (value: unknown) =>
    interpretStatus(running, { status: { ...status, statusMap }, steps: 1, sha256: null }, value)
  const startMs = performance.now()
  for (let count = 0; count < 100; count++)
    expect(report([...Array(1200).fill(1), 1000 + count]).state).toBe('Running')
  expect(performance.now() - startMs).toBeLessThan(1500)
  expect(report(statusMap.rejectStatuses[50]!.value).state).toBe('Rejected')
})
