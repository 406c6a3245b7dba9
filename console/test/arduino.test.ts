import { expect, test } from 'vitest'
import { compileArduino } from '../../server/test/harness/compile-arduino.ts'
import { missingPrograms } from '../../server/test/harness/example-programs.ts'
import { writeArduino } from '../src/parts/device-code/arduino.ts'

const missing = missingPrograms(['g++'])
if (missing.length > 0) console.log('Skipped: the Arduino sketch of the console (g++ is not installed)')

const ca = `-----BEGIN CERTIFICATE-----
MIIBszCCAVmgAwIBAgIUQ29uc29sZQ==
-----END CERTIFICATE-----
`

test.skipIf(missing.length > 0).each([
  ['in clear text', { isTls: false, port: 1883, ca: '' }],
  ['over TLS', { isTls: true, port: 8883, ca }],
])('the sketch that the console fills compiles without a warning, %s', async (_, connection) => {
  const [sketch] = writeArduino({
    origin: 'https://gangway.example.com',
    platformOrigin: 'https://gangway.example.com',
    host: 'gangway.example.com',
    deviceId: 'device-0001',
    onboardingKey: null,
    brokerKey: 'gQ/+"\\back slash and %d percent==',
    ...connection,
  })
  expect(sketch!.code).toContain('device-0001')
  expect(await compileArduino(sketch!.code)).toBe('')
})
