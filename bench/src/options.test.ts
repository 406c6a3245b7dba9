import { expect, test } from 'vitest'
import { cases } from './cases.ts'
import { readOptions } from './options.ts'

const readNames = (args: string[]) => {
  const options = readOptions(args)
  return options === 'help' ? options : options.cases.map(({ name }) => name)
}

test('all cases but those that run when they are named, or the named ones in their order', () => {
  const onRequest = [
    'console',
    'console-list',
    'console-memory',
    'board',
    'database-memory',
    'history',
    'history-memory',
    'growth',
    'nodes',
    'retention',
    'scaling',
  ]
  expect(readNames([])).toEqual(cases.map(({ name }) => name).filter((name) => !onRequest.includes(name)))
  expect(readNames(['database-memory'])).toEqual(['database-memory'])
  expect(readNames(['storm', 'bulk', '--json'])).toEqual(['storm', 'bulk'])
})

test('an unknown case or option is refused by name', () => {
  expect(() => readOptions(['bulk', 'bluk'])).toThrow('there is no case bluk; choose from ingest')
  expect(() => readOptions(['--fast'])).toThrow('--fast')
})

test('sizes have defaults, and a size that is no number from 1 on is refused by name', () => {
  expect(readOptions([])).toMatchObject({
    sizes: { days: 30, series: 300, devices: 10_000, seconds: 20, minutes: 60, rate: 10, isLarge: false },
  })
  expect(readOptions(['--days', '3', '--series=100', '--large'])).toMatchObject({
    sizes: { days: 3, series: 100, isLarge: true },
  })
  expect(readOptions(['--devices', '200', '--seconds=3'])).toMatchObject({
    sizes: { devices: 200, seconds: 3 },
  })
  for (const size of ['--days', '--devices', '--seconds'])
    for (const bad of ['0', '-1', '1.5', 'many', ''])
      expect(() => readOptions([`${size}=${bad}`])).toThrow(size)
})
