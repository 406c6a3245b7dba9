/** A dashboard with a widget of each kind, over the assets of `makeAssets`. */
import type { TestConsole } from './console.ts'
import { makeAssets } from './assets.mjs'
import { hostileNames, makeDevices, sendValues } from './fixtures.mjs'

const signal = (name: string) => ({ assetId: 'pump-7', name })

export async function makeDashboard({ api }: TestConsole, fields: object = {}): Promise<string> {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  const { id } = await api('POST', '/v1/dashboards', { displayName: 'Hall 1', organizationId, ...fields })
  return id
}

/**
 * Makes assets with values, and two dashboards: a small one with a hostile name, and one with a widget of each kind, of
 * which one shows the small one.
 * @returns the id of the second
 */
export async function makeDashboards(world: TestConsole): Promise<string> {
  await makeDevices(world.api, { count: 3 })
  await makeAssets(world.api)
  await sendTemperature(world, 71.5)
  const small = { version: 1, widgets: [everyKind('').widgets[1]] }
  const other = await makeDashboard(world, { displayName: hostileNames[2], data: small })
  return makeDashboard(world, { displayName: 'Everything', data: everyKind(other) })
}

const at = (x: number, y: number, w: number, h: number) => ({ x, y, w, h })

/** Data with one widget of each kind. */
export const everyKind = (other: string) => ({
  version: 1,
  widgets: [
    {
      id: 'line',
      kind: 'lineChart',
      title: 'Temperatures',
      position: at(0, 0, 6, 6),
      options: { signals: [signal('temperature'), signal('pressure')], unit: '°C' },
    },
    {
      id: 'value',
      kind: 'latestValue',
      position: at(6, 0, 3, 3),
      options: { signals: [signal('temperature')], unit: '°C', decimals: 1 },
    },
    {
      id: 'gauge',
      kind: 'gauge',
      position: at(9, 0, 3, 5),
      options: {
        signals: [signal('temperature')],
        unit: '°C',
        min: 0,
        max: 120,
        thresholds: [{ value: 70, label: 'Hot', color: '#b35a00' }],
      },
    },
    {
      id: 'bars',
      kind: 'barChart',
      title: 'Means',
      position: at(0, 6, 6, 4),
      options: { signals: [signal('temperature'), signal('pressure')] },
    },
    {
      id: 'states',
      kind: 'stateTimeline',
      title: 'Running',
      position: at(6, 6, 6, 4),
      options: { signals: [signal('running')] },
    },
    {
      id: 'table',
      kind: 'table',
      title: 'All values',
      position: at(0, 10, 6, 4),
      options: { signals: [signal('temperature'), signal('pressure'), signal('running')] },
    },
    { id: 'alarms', kind: 'alarmList', title: 'Open alarms', position: at(6, 10, 6, 4), options: {} },
    {
      id: 'text',
      kind: 'text',
      title: hostileNames[0],
      position: at(0, 14, 4, 4),
      options: {
        text: '# Pumps\n\n<script>alert(1)</script> [bad](javascript:alert(1)) ![far](https://example.com/x.png) **strong**',
      },
    },
    {
      id: 'limit',
      kind: 'propertyInput',
      position: at(4, 14, 4, 4),
      options: { assetId: 'pump-7', name: 'limit' },
    },
    {
      id: 'command',
      kind: 'commandButton',
      position: at(8, 14, 4, 2),
      options: { assetId: 'pump-7', commandName: 'identify', label: 'Identify pump', confirm: true },
    },
    {
      id: 'image',
      kind: 'image',
      title: 'Plan',
      position: at(8, 16, 4, 2),
      options: { resourceId: crypto.randomUUID() },
    },
    {
      id: 'other',
      kind: 'dashboard',
      title: 'Another',
      position: at(0, 18, 12, 6),
      options: { dashboardId: other },
    },
  ],
})

export const sendTemperature = (world: TestConsole, temperature: number) =>
  sendValues(world.api, 'pump-0000', { temperature })

const PLAN = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="500" viewBox="0 0 800 500">
  <rect width="800" height="500" fill="#f4f6f8"/>
  <path d="M20 20h760v460h-760zM300 20v300M300 400v80M300 240h200M560 240h220" fill="none" stroke="#445" stroke-width="6"/>
</svg>`

/** Uploads a floor plan of 800 by 500, and returns the id of its resource. */
export async function uploadPicture({ api, url }: TestConsole): Promise<string> {
  const { token } = await api('POST', '/v1/api-tokens', { displayName: 'Upload' })
  const body = new FormData()
  body.append('file', new Blob([PLAN], { type: 'image/svg+xml' }), 'hall.svg')
  const answer = await fetch(`${url}/v1/resources/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
  })
  if (!answer.ok) throw new Error(`the upload answered ${answer.status}: ${await answer.text()}`)
  const { id } = (await answer.json()) as { id: string }
  return id
}

/** Data with tabs, sections, a comparison, a floor plan, and a variable of a model. */
export async function everyPart(world: TestConsole) {
  const { modelId } = await world.api('GET', '/v1/assets/pump-7')
  const pump = { variable: 'pump', name: 'temperature' }
  return {
    version: 1,
    tabs: [
      { id: 'one', title: 'Overview' },
      { id: 'two', title: hostileNames[1] },
    ],
    variables: [{ name: 'pump', label: 'Pump', kind: 'asset', value: ['pump-7'], modelId }],
    widgets: [
      { id: 'motors', kind: 'section', title: 'Motors', position: at(0, 0, 12, 1), options: {} },
      {
        id: 'line',
        kind: 'lineChart',
        position: at(0, 1, 6, 6),
        options: { signals: [pump], compare: true },
      },
      {
        id: 'bars',
        kind: 'barChart',
        title: 'Greatest',
        position: at(6, 1, 6, 4),
        options: { signals: [pump], compare: true, aggregationType: 'max' },
      },
      {
        id: 'rest',
        kind: 'section',
        title: hostileNames[2],
        position: at(0, 7, 12, 1),
        options: { collapsed: true },
      },
      { id: 'hidden', kind: 'text', position: at(0, 8, 6, 2), options: { text: 'Hidden' } },
      {
        id: 'world',
        kind: 'map',
        title: 'Sites',
        tab: 'two',
        position: at(0, 9, 8, 9),
        options: {
          markers: [
            { assetId: 'pump-7', label: hostileNames[0], latitude: 47.38, longitude: 8.54 },
            { assetId: 'pump-7', label: 'Sydney', latitude: -33.9, longitude: 151.2 },
            { assetId: 'pump-7', label: hostileNames[2], latitude: -33.8, longitude: 151 },
          ],
          signals: [signal('temperature')],
        },
      },
      {
        id: 'plan',
        kind: 'map',
        title: 'Hall',
        tab: 'two',
        position: at(0, 0, 8, 9),
        options: {
          resourceId: await uploadPicture(world),
          markers: [
            { assetId: 'pump-7', label: 'Pump 7', x: 0.2, y: 0.25 },
            { assetId: 'pump-7', label: hostileNames[1], x: 0.9, y: 0.8 },
            { assetId: 'pump-7', latitude: 47, longitude: 8 },
          ],
          signals: [{ assetId: 'pump-7', name: 'temperature' }],
        },
      },
    ],
  }
}
