import { expect, test } from 'vitest'
import { cases } from './cases.ts'
import { readOptions } from './options.ts'

const readNames = (args: string[]) => {
  const options = readOptions(args)
  return options === 'help' ? options : options.cases.map(({ name }) => name)
}

test('all cases but the one that takes an hour, or the named ones in their order', () => {
  expect(readNames([])).toEqual(cases.map(({ name }) => name).filter((name) => name !== 'database-memory'))
  expect(readNames(['database-memory'])).toEqual(['database-memory'])
  expect(readNames(['storm', 'bulk', '--json'])).toEqual(['storm', 'bulk'])
})

test('an unknown case or option is refused by name', () => {
  expect(() => readOptions(['bulk', 'bluk'])).toThrow('there is no case bluk; choose from ingest')
  expect(() => readOptions(['--fast'])).toThrow('--fast')
})
