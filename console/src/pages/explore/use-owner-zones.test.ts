import { expect, test } from 'vitest'
import { chooseZone } from './use-owner-zones.ts'

test('the reported zone counts more than the desired one', () => {
  const reported = { timeZone: 'Europe/Berlin' }
  const desired = { timeZone: 'Asia/Tokyo' }
  expect(chooseZone('Pump 7', [reported, desired])).toEqual({ zone: 'Europe/Berlin', owner: 'Pump 7' })
  expect(chooseZone('Pump 7', [{}, desired])).toEqual({ zone: 'Asia/Tokyo', owner: 'Pump 7' })
})

test.each(['', 'Nowhere/City', '+02:00', 'x', 7, null, undefined, { zone: 'UTC' }])(
  'what is no IANA name is no zone: %j',
  (timeZone) => expect(chooseZone('Pump 7', [{ timeZone }])).toBeNull(),
)

test('a wrong report does not hide the desired zone', () => {
  expect(chooseZone('Pump 7', [{ timeZone: 'local' }, { timeZone: 'UTC' }])).toMatchObject({ zone: 'UTC' })
})
