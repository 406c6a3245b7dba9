import { expect, test } from 'vitest'
import { internationalNumber } from './phone-number.ts'

test.each([
  '+491701234567',
  '+49 170 123 45 67',
  '+49 (0)170 / 123-4567',
  '0049 170 1234567',
  ' 0049-(170)-123.4567 ',
  '+49\u00a0170\u20111234567',
])('%j is +491701234567', (text) => {
  expect(internationalNumber(text)).toBe('+491701234567')
})

test.each([
  '',
  '0170 1234567',
  '+0170123456',
  '+49',
  'call me',
  '+49170123456789012',
  '+49170x1234567',
  '++491701234567',
])('%j is not an international number', (text) => {
  expect(internationalNumber(text)).toBeUndefined()
})
