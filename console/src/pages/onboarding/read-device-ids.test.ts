import { expect, test } from 'vitest'
import { readDeviceIds } from './read-device-ids.ts'

const ids = (text: string) => readDeviceIds(text).devices.map(({ deviceId }) => deviceId)

test.each([
  ['one a line, with blank ones', 'pump-1\n\n  pump-2  \r\npump-3'],
  ['CSV by its column', '\uFEFFserial;device_id\r\n17;pump-1\r\n18;"pump-2"\r\n19;pump-3\r\n'],
  ['CSV without a heading', 'pump-1,Hall 1\npump-2,Hall 2\npump-3,'],
  ['an array of ids', '["pump-1", "pump-2", "pump-3"]'],
  ['an array of objects', '[{"device_id": "pump-1"}, {"device_id": "pump-2"}, {"device_id": "pump-3"}]'],
  ['an object a line', '{"device_id": "pump-1"}\n{"device_id": "pump-2", "x": 1}\n{"device_id": "pump-3"}'],
])('reads %s', (_what, text) => {
  expect(ids(text)).toEqual(['pump-1', 'pump-2', 'pump-3'])
})

test('reports invalid lines by number, and counts duplicates', () => {
  const read = readDeviceIds('device_id\npump-1\nno spaces\npump-1\n{"device_id": 5}\n{broken')
  expect(read).toEqual({
    devices: [{ line: 2, deviceId: 'pump-1' }],
    repeated: 1,
    wrong: [
      { line: 3, deviceId: 'no spaces' },
      { line: 5, deviceId: '{"device_id":5}' },
      { line: 6, deviceId: '{broken' },
    ],
  })
})
