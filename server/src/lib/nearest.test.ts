import { expect, test } from 'vitest'
import { findNearestName } from './nearest.ts'

const known = [
  'GANGWAY_HTTP_PORT',
  'GANGWAY_MQTT_PORT',
  'payload',
  'componentId',
  'expiresAfterSeconds',
  'timeoutSeconds',
]

test.each([
  ['payloud', 'payload'],
  ['paylaod', 'payload'],
  ['GANGWAY_HTP_PORT', 'GANGWAY_HTTP_PORT'],
  ['GANGWAY_MQTTPORT', 'GANGWAY_MQTT_PORT'],
  ['component_id', 'componentId'],
  ['ComponentID', 'componentId'],
  ['expiresAfter', 'expiresAfterSeconds'],
  ['timeout', 'timeoutSeconds'],
  ['delay', undefined],
  ['x', undefined],
  ['', undefined],
  ['payload'.repeat(100_000), undefined],
])('the nearest name of %.20s is %s', (name, nearest) => {
  expect(findNearestName(name, known)).toBe(nearest)
})

test('without known names there is no nearest one', () => {
  expect(findNearestName('payload', [])).toBeUndefined()
})
