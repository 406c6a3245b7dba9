import { expect, test } from 'vitest'
import { cases } from './cases.ts'
import { readOptions } from './options.ts'

const namesOf = (args: string[]) => {
  const options = readOptions(args)
  return options === 'help' ? options : options.cases.map(({ name }) => name)
}

test('all cases but the one that takes an hour, or the named ones in their order', () => {
  expect(namesOf([])).toEqual(cases.map(({ name }) => name).filter((name) => name !== 'database-memory'))
  expect(namesOf(['database-memory'])).toEqual(['database-memory'])
  expect(namesOf(['storm', 'bulk', '--json'])).toEqual(['storm', 'bulk'])
})

test('a case or option that does not exist is named', () => {
  expect(() => readOptions(['bulk', 'bluk'])).toThrow('there is no case bluk; choose from ingest')
  expect(() => readOptions(['--fast'])).toThrow('--fast')
})
