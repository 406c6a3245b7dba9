import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulatedWorld, startSimulatedWorld } from '../../../test/harness/simulated.ts'
import { upload } from '../../../test/harness/uploads.ts'
import { readCsv } from './csv.ts'

const read = async (text: string, maxRows = 10) => {
  const rows: string[][] = []
  // In small chunks, as a storage may return them.
  const pieces = text.match(/[^]{1,3}/g) ?? []
  for await (const row of readCsv(Readable.from(pieces, { objectMode: false }), maxRows)) rows.push(row)
  return rows
}

test.each([
  [
    'a,b\n1,2\n3,4\n',
    [
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  [
    '\ufeffa;b\r\n1,5;2\r\n',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  [
    '"a ""x""","b,c"\n"1, 2",\n',
    [
      ['a "x"', 'b,c'],
      ['1, 2', ''],
    ],
  ],
  ['a,b\n\n1\n', [['a', 'b'], ['1']]],
  ['a\n1', [['a'], ['1']]],
])('%j', async (text, rows) => {
  expect(await read(text)).toEqual(rows)
})

test('the number of rows and the length of a line are limited, and an empty file is refused', async () => {
  expect(await read('a\n1\n2\n3\n', 2)).toEqual([['a'], ['1'], ['2']])
  await expect(read('x'.repeat(70_000))).rejects.toThrow('has a line of more than')
  await expect(read('')).rejects.toThrow('is empty')
})

let world: SimulatedWorld
beforeAll(async () => {
  world = await startSimulatedWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const uploadText = async (content: string, options = {}) =>
  (await upload(world.platform, { content, name: 'levels.csv', type: 'text/csv' }, options)).body.id as string
const level = (resourceId: string, fields = {}) => ({
  name: 'level',
  generator: 'csv',
  resourceId,
  column: 'level',
  ...fields,
})

test('short rows below a header with thousands of columns start quickly, and do not hold up the server', async () => {
  const names = [...Array.from({ length: 12_000 }, (_, index) => index), 'level', '0'].join(',')
  const resourceId = await uploadText(`${names}\n${'1\n'.repeat(20_000)}`)
  const signals = Array.from({ length: 20 }, (_, index) =>
    level(resourceId, { name: `s${index}`, column: '1' }),
  )
  const { path } = await world.make({ count: 1, signals })
  const delays = monitorEventLoopDelay({ resolution: 5 })
  delays.enable()
  await world.platform.post(`${path}/start`)
  await world.until(path, ({ state }) => state === 'running')
  delays.disable()
  expect(delays.max / 1e6).toBeLessThan(1000)
  await world.platform.post(`${path}/stop`)
})

test('a column is sent row by row, empty cells are omitted, and it ends without `loop`', async () => {
  const resourceId = await uploadText('at,level,open\n1,10.5,true\n2,,false\n3,high,\n')
  const { path, id, deviceIdPrefix } = await world.make({
    count: 1,
    signals: [level(resourceId, { loop: false }), level(resourceId, { name: 'open', column: 'open' })],
  })
  expect((await world.platform.get(`/v1/resources/${resourceId}/references`)).body).toEqual([
    { type: 'simulation', id },
  ])
  await world.platform.post(`${path}/start`)
  await world.until(path, ({ progress }) => progress.acknowledged >= 4)
  const device = `${deviceIdPrefix}0001`
  expect(await world.listValues('client', device)).toEqual([10.5, 'high'])
  // The third row is empty; the fourth message is the first row again.
  expect((await world.listValues('client', device, 'open')).slice(0, 3)).toEqual([true, false, true])
  await world.platform.post(`${path}/stop`)
})

const createSimulation = async (signal: object, options = {}) => {
  const body = {
    displayName: 'T',
    organizationId: world.platform.organizationId,
    providerId: 'mqtt',
    count: 1,
    intervalSeconds: 1,
    signals: [signal],
  }
  return world.platform.post('/v1/simulations', body, options)
}

test.each([
  ['an unknown column', 'a,b\n1,2\n', 'signals.0.column'],
  ['a file without rows', 'level\n', 'signals.0.resourceId'],
  ['an empty file', '\n', 'signals.0.resourceId'],
  ['a file that is not a table', 'x'.repeat(70_000), 'signals.0.resourceId'],
])('%s is refused', async (_what, content, path) => {
  const { status, body } = await createSimulation(level(await uploadText(content)))
  expect([status, body.details.issues[0].path]).toEqual([400, path])
})

test('a JSON document, an unknown file and one of another tenant are refused', async () => {
  const { body } = await world.platform.post('/v1/resources', { displayName: 'J', document: { level: [1] } })
  expect((await createSimulation(level(body.id))).body.details.issues[0].path).toBe('signals.0.resourceId')
  const { token } = await world.platform.makeTenant('uncolumned')
  for (const id of [crypto.randomUUID(), await uploadText('level\n1\n', { token })])
    expect((await createSimulation(level(id))).status).toBe(404)
})
