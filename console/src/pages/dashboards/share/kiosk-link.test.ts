import { expect, test } from 'vitest'
import { writeKioskLink } from './kiosk-link.ts'

test('the token is in the fragment alone, and variables are left out', () => {
  const link = writeKioskLink('https://gangway.example', {
    dashboardId: 'a b',
    search: '?range=24h&variables=pump%3Dpump-7&tab=two',
    token: 'gwt_1_x-_',
  })
  expect(link).toBe('https://gangway.example/console/kiosk/a%20b?range=24h&tab=two#token=gwt_1_x-_')
})
