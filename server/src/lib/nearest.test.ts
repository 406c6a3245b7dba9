import { expect, test } from 'vitest'
import { nearestName } from './nearest.ts'

const known = ['delaySeconds', 'payload', 'componentId', 'if_ready', 'GANGWAY_HTTP_PORT', 'GANGWAY_MQTT_PORT']

test.each([
  ['delaySecond', 'delaySeconds'],
  ['paylaod', 'payload'],
  ['component_id', 'componentId'],
  ['ifReady', 'if_ready'],
  ['GANGWAY_HTP_PORT', 'GANGWAY_HTTP_PORT'],
  ['GANGWAY_MQTTPORT', 'GANGWAY_MQTT_PORT'],
])('%s was probably meant to be %s', (name, meant) => {
  expect(nearestName(name, known)).toBe(meant)
})

test('a name that is near to none has no nearest one', () => {
  for (const name of ['x', 'temperature', '', 'd'.repeat(1_000_000)])
    expect(nearestName(name, known)).toBeUndefined()
  expect(nearestName('payload', [])).toBeUndefined()
})
