import { expect, test } from 'vitest'
import { findTagProblems, readTagRows, writeTags } from './tag-rows.ts'

test('tags are rows and back, empty rows are left out', () => {
  const tags = { type: 'manual', '🔧': '<b>' }
  expect(writeTags([...readTagRows(tags), { key: '', value: '' }])).toEqual(tags)
})

test('a row with half of a tag and the second row of a key are problems', () => {
  const rows = [
    { key: 'a', value: '1' },
    { key: '', value: '' },
    { key: 'b', value: '' },
    { key: '', value: '2' },
    { key: 'a', value: '3' },
  ]
  expect(findTagProblems(rows)).toEqual([undefined, undefined, 'incomplete', 'incomplete', 'twice'])
})
