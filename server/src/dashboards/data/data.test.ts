import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const create = (data: unknown) =>
  platform.post('/v1/dashboards', { displayName: 'D', organizationId: platform.organizationId, data })
const position = { x: 0, y: 0, w: 6, h: 4 }
const signal = { assetId: 'pump-7', componentId: null, name: 'temperature', type: 'telemetry' }
const chart = { id: 'a', kind: 'lineChart', position, options: { signals: [signal] } }
const board = (...widgets: object[]) => ({ version: 1, widgets })
const resourceId = crypto.randomUUID()

test('one widget of each kind is stored unchanged', async () => {
  const scale = { min: 0, max: 100, unit: '°C', decimals: 1, thresholds: [{ value: 80, color: '#f00' }] }
  const options: Record<string, object> = {
    lineChart: {
      signals: [signal],
      ...scale,
      period: 'P1D',
      aggregationInterval: 'PT15M',
      aggregationType: 'avg',
    },
    barChart: { signals: [signal], aggregationType: 'sum', compare: true },
    stateTimeline: { signals: [{ variable: 'pump', name: 'running' }], period: 'P1D' },
    latestValue: { signals: [signal], period: 'PT24H' },
    gauge: { signals: [signal], ...scale },
    table: { signals: [signal, { assetId: 'pump-8', name: 'mode' }] },
    alarmList: { assetIds: ['pump-7'], minSeverity: 3 },
    commandButton: { assetId: 'pump-7', commandName: 'reboot', payload: { delay: 5 }, confirm: true },
    propertyInput: { variable: 'pump', name: 'limit' },
    dashboard: { dashboardId: resourceId },
    map: { resourceId, markers: [{ assetId: 'pump-7', x: 0.5, y: 0.25 }, { variable: 'pump' }] },
    image: { resourceId, fit: 'contain' },
    text: { text: '# Pumps' },
    section: { collapsed: true },
  }
  const widgets = Object.entries(options).map(([kind, chosen], index) => ({
    id: `w-${index}`,
    kind,
    title: kind,
    tab: 'tab-1',
    position: { ...position, y: index * 4 },
    options: chosen,
  }))
  const data = { version: 1, columns: 24, tabs: [{ id: 'tab-1', title: 'One' }], widgets }
  const { status, body } = await create(data)
  expect([status, body.data]).toEqual([201, data])
  expect((await platform.get(`/v1/dashboards/${body.id}`)).body.data).toEqual(data)
})

test.each([
  ['widgets that are no list', { version: 1, widgets: {} }, 'data.widgets'],
  ['another grid', { ...board(), columns: 16 }, 'data.columns'],
  ['a widget of another kind', board({ ...chart, kind: 'pie' }), 'data.widgets.0.kind'],
  ['a widget without an id', board(chart, { ...chart, id: '' }), 'data.widgets.1.id'],
  ['a tab that is no id', board({ ...chart, tab: '<b>' }), 'data.widgets.0.tab'],
  ['an id twice', board(chart, chart), 'data.widgets.1.id'],
  ['a widget without options', board({ ...chart, options: undefined }), 'data.widgets.0'],
  ['a width of zero', board({ ...chart, position: { ...position, w: 0 } }), 'data.widgets.0.position.w'],
  ['half a cell', board({ ...chart, position: { ...position, x: 0.5 } }), 'data.widgets.0.position.x'],
  [
    'a place beyond the grid',
    board({ ...chart, position: { ...position, x: 7 } }),
    'data.widgets.0.position',
  ],
  [
    'a signal without a name',
    board({ ...chart, options: { signals: [{ assetId: 'a' }] } }),
    'data.widgets.0.options.signals.0',
  ],
  [
    'a signal without an asset',
    board({ ...chart, options: { signals: [{ name: 'a' }] } }),
    'data.widgets.0.options.signals.0',
  ],
  [
    'a pin without an asset',
    board({ ...chart, kind: 'map', options: { markers: [{ x: 0.5, y: 0.5 }] } }),
    'data.widgets.0.options.markers.0',
  ],
  [
    'a property of an asset and of a variable',
    board({ ...chart, kind: 'propertyInput', options: { assetId: 'a', variable: 'b', name: 'c' } }),
    'data.widgets.0.options',
  ],
  [
    'an option of another kind',
    board({ ...chart, options: { signals: [], text: 'x' } }),
    'data.widgets.0.options.text',
  ],
  [
    'a picture that is not an id',
    board({ ...chart, kind: 'image', options: { resourceId: 'x' } }),
    'data.widgets.0.options.resourceId',
  ],
  [
    'a scale upside down',
    board({ ...chart, options: { signals: [], min: 1, max: 1 } }),
    'data.widgets.0.options.max',
  ],
  [
    'a severity of 6',
    board({ ...chart, kind: 'alarmList', options: { minSeverity: 6 } }),
    'data.widgets.0.options.minSeverity',
  ],
  [
    '201 widgets',
    board(...Array.from({ length: 201 }, (_, n) => ({ ...chart, id: `w${n}` }))),
    'data.widgets',
  ],
])('%s is refused with its path', async (_what, data, path) => {
  const { body } = await create(data)
  expect(body.error).toBe('validation_error')
  expect(body.details.issues.map((issue: { path: string }) => issue.path)).toContain(path)
})

test.each([
  ['of a version that the console does not know', { version: 2, widgets: [{ kind: 'anything' }] }],
  ['with a version of its own kind', { version: '1', widgets: 'none' }],
  ['of version 1 without widgets', { version: 1, layout: [] }],
  ['with fields beside the widgets', { ...board(chart), theme: 'x' }],
  ['that is empty', {}],
])('data %s is stored unchanged', async (_what, data) => {
  const { status, body } = await create(data)
  expect([status, body.data]).toEqual([201, data])
})

test('data has at most 1 MiB of JSON', async () => {
  const envelope = JSON.stringify({ text: '' }).length
  const largest = { text: 'x'.repeat(1024 * 1024 - envelope) }
  const { status, body } = await create(largest)
  expect(status).toBe(201)
  const tooLarge = { text: `${largest.text}x` }
  for (const answer of [
    await create(tooLarge),
    await platform.patch(`/v1/dashboards/${body.id}`, { data: tooLarge }),
  ])
    expect(answer).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large', details: { bytes: 1024 * 1024 + 1, maxBytes: 1024 * 1024 } },
    })
})

test('a page of dashboards with large data is shorter and links to the next page', async () => {
  const { token, organizationId } = await platform.makeTenant('large-data')
  const data = { text: 'x'.repeat(1_000_000) }
  for (let made = 0; made < 10; made++)
    await platform.post('/v1/dashboards', { displayName: 'D', organizationId, data }, { token })
  const first = await platform.get('/v1/dashboards', { token })
  expect(first.body).toHaveLength(8)
  const next = /<(.*)>; rel="next"/.exec(first.headers.get('link')!)![1]!
  expect((await platform.get(next, { token })).body).toHaveLength(2)
})

test('data without a version is stored unchanged, and checked once it has a version', async () => {
  const old = { widgets: [{ kind: 'anything' }], layout: [1] }
  const { body } = await create(old)
  expect(body.data).toEqual(old)
  const one = `/v1/dashboards/${body.id}`
  expect((await platform.patch(one, { data: board({ kind: 'anything' }) })).body.error).toBe(
    'validation_error',
  )
  expect((await platform.patch(one, { displayName: 'E' })).body.data).toEqual(old)
  expect((await platform.patch(one, { data: board(chart) })).body.data).toEqual(board(chart))
})

test('widgets that another server stored stay while they are unchanged on the same grid', async () => {
  const { body } = await create(board(chart))
  const one = `/v1/dashboards/${body.id}`
  const unknown = { id: 'new', kind: 'hologram', position: { ...position, y: 8 }, options: { depth: 3 } }
  const twice = { ...chart, title: 'Twice' }
  const stored = board(chart, unknown, null as unknown as object, twice)
  await platform.ctx.pool.query('update dashboards set data = $2 where id = $1', [body.id, stored])
  const more = { ...chart, id: 'b' }
  const patch = (data: object) => platform.patch(one, { data })
  const listPaths = async (data: object) =>
    (await patch(data)).body.details.issues.map(({ path }: { path: string }) => path)
  const kept = board(more, ...stored.widgets)
  expect((await patch(kept)).body.data).toEqual(kept)
  expect(await listPaths(board({ ...unknown, options: { depth: 4 } }))).toEqual(['data.widgets.0.kind'])
  expect(await listPaths({ ...kept, columns: 24 })).toEqual([
    'data.widgets.2.kind',
    'data.widgets.3',
    'data.widgets.4.id',
  ])
  expect(await listPaths(board({ ...chart, title: 'Third' }, ...stored.widgets))).toEqual([
    'data.widgets.0.id',
  ])
  expect((await create(kept)).body.error).toBe('validation_error')
})

test('a copy of a stored widget is refused, unless the data already has both', async () => {
  const { body } = await create(board(chart))
  const one = `/v1/dashboards/${body.id}`
  const { body: refusal } = await platform.patch(one, { data: board(chart, chart) })
  expect(refusal.details.issues).toEqual([
    { path: 'data.widgets.1.id', message: 'is on the dashboard twice' },
  ])
  await platform.ctx.pool.query('update dashboards set data = $2 where id = $1', [
    body.id,
    board(chart, chart),
  ])
  const two = board(chart, chart, { ...chart, id: 'b' })
  expect((await platform.patch(one, { data: two })).body.data).toEqual(two)
  const three = board(chart, chart, chart)
  expect((await platform.patch(one, { data: three })).body.error).toBe('validation_error')
})
