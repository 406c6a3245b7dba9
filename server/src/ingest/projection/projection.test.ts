import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  insertAsset,
  insertBinding,
  makeModel,
  makePumpModel,
  type TestBinding,
} from '../../../test/harness/assets.ts'
import { makeImportProvider } from '../../../test/harness/import-provider.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { changeBindings, applyBindingChange } from '../../assets/bindings/binding-changes.ts'
import { allSamples } from '../../../test/harness/sample-tables.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makeImportProvider(platform)
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

let made = 0
let [asset, client, other] = ['', '', '']
beforeEach(async () => {
  const number = ++made
  ;[asset, client, other] = [`pump-${number}`, `sensor-${number}`, `meter-${number}`]
  await insertAsset(platform, asset)
  for (const id of [client, other])
    await platform.post('/v1/providers/files/clients', { id, displayName: id })
})

async function bind(local: string, remotes: string[], binding: TestBinding = {}, of = asset) {
  await insertBinding(platform, `${of}/${local}`, remotes, binding)
  const instanceIds = [of, ...remotes.map((remote) => remote.split('/')[0]!)]
  applyBindingChange(platform.ctx, { tenantId: 'default', instanceIds })
}

async function send(id: string, payload: object, what = 'telemetry') {
  const body = JSON.stringify(payload)
  expect((await platform.post(`/v1/providers/files/clients/${id}/${what}`, body)).status).toBe(204)
}

/** Samples as `component/name=value`, in the order of arrival. */
async function stored(owner: string, type = 'telemetry') {
  const { rows } = await platform.ctx.pool.query<{ component_id: string; name: string; value: unknown }>(
    `select series.component_id, series.name, sample.value from series
     join ${allSamples} as sample
       on sample.series_number = series.number
     where series.owner_id = $1 and series.type = $2 order by sample.time, sample.message_id, series.name`,
    [owner, type],
  )
  return rows.map(
    ({ component_id, name, value }) => `${component_id || '-'}/${name}=${JSON.stringify(value)}`,
  )
}

const lastError = async (name: string) => {
  const { rows } = await platform.ctx.pool.query(
    `select b.error from asset_bindings b join assets a on a.number = b.asset_number
     where a.id = $1 and b.name = $2`,
    [asset, name],
  )
  return rows[0].error as string | null
}

const fahrenheit = { '/': [{ '-': [{ var: 'value' }, 32] }, 1.8] }
const product = { '*': [{ var: 'u' }, { var: 'i' }] }
const names = ['u', 'i']

test('bound values are transformed and stored under the asset; the rest stays with the client [docs/assets#what-an-asset-stores]', async () => {
  await bind('-/telemetry/temperature', [`${client}/-/telemetry/t`], { transform: fahrenheit })
  await bind('motor/telemetry/rpm', [`${client}/-/telemetry/rpm`])
  await send(client, { t: 212, rpm: 900, voltage: 3.3 })
  expect(await stored(asset)).toEqual(['motor/rpm=900', '-/temperature=100'])
  expect(await stored(client)).toEqual(['-/voltage=3.3'])
  expect(await lastError('temperature')).toBe(null)
})

test('several assets read one client, each with its own bindings', async () => {
  const second = `${asset}-b`
  await insertAsset(platform, second)
  await bind('-/telemetry/temperature', [`${client}/-/telemetry/t`])
  await bind('-/telemetry/temperature', [`${client}/-/telemetry/t`], { transform: fahrenheit }, second)
  await send(client, { t: 50 })
  expect([await stored(asset), await stored(second)]).toEqual([['-/temperature=50'], ['-/temperature=10']])
  expect(await stored(client)).toEqual([])
})

test('an asset reads another asset', async () => {
  const hall = `${asset}-hall`
  await insertAsset(platform, hall)
  await bind('-/telemetry/temperature', [`${client}/-/telemetry/t`], { transform: fahrenheit })
  await bind(
    '-/telemetry/pressure',
    [`${asset}/-/telemetry/temperature`],
    {
      transform: { '*': [{ var: 'value' }, 2] },
    },
    hall,
  )
  await send(client, { t: 50 })
  expect([await stored(asset), await stored(hall)]).toEqual([['-/temperature=10'], ['-/pressure=20']])
})

test('a binding of two signals reads the last known value of the one that is not in the message', async () => {
  const remotes = [`${client}/-/telemetry/voltage`, `${other}/-/telemetry/current`]
  await bind('-/telemetry/pressure', remotes, { transform: product, names })
  await send(client, { voltage: 10 })
  // Not yet: the current is not known.
  expect(await stored(asset)).toEqual([])
  await send(other, { current: 2 })
  await send(client, { voltage: 20 })
  await send(other, { current: 3 })
  expect(await stored(asset)).toEqual(['-/pressure=20', '-/pressure=40', '-/pressure=60'])
  // They can still be queried there.
  expect(await stored(client)).toEqual(['-/voltage=10', '-/voltage=20'])
})

test('a binding reads the last value of the asset itself, not that of a component with the same signal', async () => {
  const hall = `${asset}-hall`
  await insertAsset(platform, hall)
  await bind('-/telemetry/temperature', [`${client}/-/telemetry/t`])
  await bind('motor/telemetry/temperature', [`${client}/-/telemetry/m`])
  const remotes = [`${asset}/-/telemetry/temperature`, `${other}/-/telemetry/i`]
  await bind('-/telemetry/pressure', remotes, { transform: product, names }, hall)
  await send(client, { t: 2, m: 100 })
  await send(other, { i: 5 })
  expect(await stored(hall)).toEqual(['-/pressure=10'])
})

test('a binding of two signals without a transform stores the value that arrived last', async () => {
  await bind('-/telemetry/temperature', [`${client}/-/telemetry/t`, `${other}/-/telemetry/t`])
  await send(client, { t: 1 })
  await send(other, { t: 2 })
  await send(client, { t: 3 })
  expect(await stored(asset)).toEqual(['-/temperature=1', '-/temperature=2', '-/temperature=3'])
  expect(await stored(client)).toEqual([])
})

test('two signals in one message, or in messages sent at once, are both read', async () => {
  const remotes = [`${client}/-/telemetry/voltage`, `${client}/-/telemetry/current`]
  await bind('-/telemetry/pressure', remotes, { transform: product, names })
  await send(client, { voltage: 10, current: 5 })
  expect(await stored(asset)).toEqual(['-/pressure=50'])
  await Promise.all([send(client, { voltage: 7 }), send(client, { current: 3 })])
  expect(await stored(asset)).toContain('-/pressure=21')
})

test('a late value is joined with the values known at its time', async () => {
  const remotes = [`${client}/-/telemetry/voltage`, `${other}/-/telemetry/current`]
  await bind('-/telemetry/pressure', remotes, { transform: product, names })
  const at = (minute: number) => `2026-03-01T00:0${minute}:00Z`
  await send(other, { timestamp: at(0), current: 1 })
  await send(other, { timestamp: at(4), current: 100 })
  await send(client, { timestamp: at(2), voltage: 5 })
  await send(client, { timestamp: at(5), voltage: 5 })
  expect(await stored(asset)).toEqual(['-/pressure=5', '-/pressure=500'])
  // A duplicate has the same result, and is stored once.
  await send(client, { timestamp: at(5), voltage: 5 })
  expect(await stored(asset)).toEqual(['-/pressure=5', '-/pressure=500'])
})

test.each([
  ['before', 'a-'],
  ['after', 'z-'],
])(
  'joined values that read other joined values are computed for one message, the reader named %s the read',
  async (_what, prefix) => {
    const reader = `${prefix}${asset}`
    await insertAsset(platform, reader)
    const multiplied = { '*': [{ var: 'left' }, { var: 'right' }] }
    const sum = { '+': [{ var: 'x' }, { var: 'y' }] }
    await bind('-/telemetry/temperature', [`${client}/-/telemetry/x`, `${client}/-/telemetry/y`], {
      transform: sum,
    })
    const remotes = [`${asset}/-/telemetry/temperature`, `${client}/-/telemetry/z`]
    await bind('-/telemetry/pressure', remotes, { transform: multiplied, names: ['left', 'right'] }, reader)
    // An older value exists, which must not be used.
    await send(client, { x: 1, y: 1, z: 1, timestamp: '2026-03-01T00:01:00Z' })
    await send(client, { z: 10, y: 3, x: 2, timestamp: '2026-03-01T00:02:00Z' })
    expect(await stored(asset)).toEqual(['-/temperature=2', '-/temperature=5'])
    expect(await stored(reader)).toEqual(['-/pressure=2', '-/pressure=50'])
  },
)

test.each([
  [
    'a transform of text',
    { '+': [{ var: 'value' }, 1] },
    'warm',
    'the transform does not result in a number',
  ],
  ['a division by zero', { '/': [1, { var: 'value' }] }, 0, 'the transform does not result in a number'],
  ['a transform to text', { cat: [{ var: 'value' }, ' °C'] }, 21, '"21 °C" does not fit the schema double'],
  ['a number as text', undefined, '21', '"21" does not fit the schema double'],
  ['an object', undefined, { celsius: 21 }, 'an object does not fit the schema double'],
  ['a list', undefined, [21], 'a list does not fit the schema double'],
])(
  '%s keeps the value with the client, and the binding has the reason',
  async (_what, transform, value, reason) => {
    await bind('-/telemetry/temperature', [`${client}/-/telemetry/t`], { transform })
    await bind('-/telemetry/pressure', [`${client}/-/telemetry/p`])
    await send(client, { t: value, p: 5 })
    expect(await stored(client)).toEqual([`-/t=${JSON.stringify(value)}`])
    expect(await stored(asset)).toEqual(['-/pressure=5'])
    expect(await lastError('temperature')).toBe(`${asset}/-/telemetry/temperature: ${reason}`)
  },
)

test('a transform that results in null stores nothing under the asset, and the value stays with the client', async () => {
  const transform = { if: [{ '>': [{ var: 'value' }, 0] }, { var: 'value' }, null] }
  await bind('-/telemetry/temperature', [`${client}/-/telemetry/t`], { transform })
  await send(client, { t: 5 })
  await send(client, { t: -5 })
  expect([await stored(asset), await stored(client)]).toEqual([['-/temperature=5'], ['-/t=-5']])
  expect(await lastError('temperature')).toBe(null)
})

test('a device is swapped without a gap in the series of its asset', async () => {
  const rebind = (to: string) =>
    changeBindings(platform.ctx, 'default', async (tx, announce) => {
      await tx
        .updateTable('asset_binding_remotes')
        .set({ instance_id: to })
        .where('instance_id', 'in', [client, other])
        .execute()
      announce([asset, client, other])
    })
  await bind('-/telemetry/temperature', [`${client}/-/telemetry/t`])
  for (let round = 0; round < 10; round++) {
    const [bound, unbound] = round % 2 === 0 ? [client, other] : [other, client]
    await rebind(bound)
    await send(bound, { t: round })
    await send(unbound, { t: -1 })
  }
  expect(await stored(asset)).toEqual(Array.from({ length: 10 }, (_, round) => `-/temperature=${round}`))
})

test('reported properties are copied to the asset and its components, and removed when the device removes them', async () => {
  await bind('-/property/serial', [`${client}/-/property/sn`])
  await bind('motor/property/limit', [`${client}/engine/property/max`], {
    transform: { '*': [{ var: 'value' }, 10] },
  })
  const reported = async () => {
    const { rows } = await platform.ctx.pool.query(
      'select t.reported, t.reported_version from asset_twins t join assets a on a.number = t.asset_number where a.id = $1',
      [asset],
    )
    return [rows[0].reported, Number(rows[0].reported_version)]
  }
  await send(client, { sn: 'A7', engine: { max: 90, min: 1 }, extra: true }, 'reported')
  expect(await reported()).toEqual([{ serial: 'A7', motor: { limit: 900 } }, 1])
  await send(client, { engine: { max: 80 } }, 'reported')
  expect(await reported()).toEqual([{ serial: 'A7', motor: { limit: 800 } }, 2])
  await send(client, { sn: null }, 'reported')
  expect(await reported()).toEqual([{ motor: { limit: 800 } }, 3])
  expect(await stored(asset, 'propertyReported')).toEqual([
    'motor/limit=900',
    '-/serial="A7"',
    'motor/limit=800',
  ])
  expect(await stored(client, 'propertyReported')).toContain('-/extra=true')
})

test('1,000 signals of a message are stored, some of them bound', async () => {
  await bind('-/telemetry/temperature', [`${client}/-/telemetry/s500`])
  await send(client, Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`s${index}`, index])))
  expect(await stored(asset)).toEqual(['-/temperature=500'])
  const { rows } = await platform.ctx.pool.query(
    `select sum(cardinality(array_remove(numbers, null)))::int as count from sample_rows
     join streams on number = stream_number where owner_type = 'client' and owner_id = $1`,
    [client],
  )
  expect(rows).toEqual([{ count: 999 }])
})

test('the projection ends on a loop that was created concurrently', async () => {
  const second = `${asset}-b`
  await insertAsset(platform, second)
  const [one, two] = ['-/telemetry/temperature', '-/telemetry/pressure']
  await bind(one, [`${client}/-/telemetry/t`])
  await bind(two, [`${second}/${two}`])
  await bind(two, [`${asset}/${two}`], {}, second)
  await send(client, { t: 1 })
  expect(await stored(asset)).toEqual(['-/temperature=1'])
})

test('a binding of one tenant does not read a client of the same id in another', async () => {
  await bind('-/telemetry/temperature', [`${client}/-/telemetry/t`])
  const { token, organizationId } = await platform.makeTenant(`t${made}`)
  const body = { id: 'files', type: 'import', displayName: 'Files', organizationId }
  await platform.post('/v1/providers', body, { token })
  await platform.post('/v1/providers/files/clients', { id: client, displayName: 'x' }, { token })
  await platform.post(`/v1/providers/files/clients/${client}/telemetry`, '{"t":1}', { token })
  expect([await stored(asset), await stored(client)]).toEqual([[], ['-/t=1']])
})

test('fields that a device removes from an object are removed from its assets as well', async () => {
  const id = `dtmi:com:example:Configured;${made}`
  const fields = ['a', 'b'].map((name) => ({ name, schema: 'integer' }))
  await makeModel(platform, id, [
    { '@type': 'Property', name: 'config', schema: { '@type': 'Object', fields } },
    { '@type': 'Component', name: 'motor', schema: 'dtmi:com:example:Motor;1' },
  ])
  const configured = `${asset}-configured`
  await insertAsset(platform, configured, { modelId: id })
  await bind('-/property/config', [`${client}/-/property/config`], {}, configured)
  await bind('motor/property/limit', [`${client}/engine/property/max`], {}, configured)
  const reported = async () => (await platform.get(`/v1/assets/${configured}/properties/reported`)).body
  await send(client, { config: { a: 1, b: 2 }, engine: { max: 9, min: 1 } }, 'reported')
  expect(await reported()).toMatchObject({ config: { a: 1, b: 2 }, motor: { limit: 9 } })
  await send(client, { config: { b: null }, engine: { max: null } }, 'reported')
  expect(await reported()).toEqual({ config: { a: 1 }, motor: {}, $version: 2 })
  // Properties that it does not contain stay.
  await send(client, { config: { a: 3 }, engine: { min: 2 } }, 'reported')
  expect(await reported()).toEqual({ config: { a: 3 }, motor: {}, $version: 3 })
})
