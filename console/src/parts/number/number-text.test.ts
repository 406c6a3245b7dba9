import { expect, test } from 'vitest'
import { chooseText, readNumber } from './number-text.ts'

test('an unfinished number is none, and stays as it was typed', () => {
  expect(readNumber('-')).toBeNull()
  expect(chooseText('-', readNumber('-'))).toBe('-')
  expect(chooseText('-5', readNumber('-5'))).toBe('-5')
  expect(chooseText('0.', readNumber('0.'))).toBe('0.')
})

test('a value that came from elsewhere replaces what was typed', () => {
  expect(chooseText('-', 70)).toBe(70)
  expect(chooseText(70, null)).toBe('')
})
