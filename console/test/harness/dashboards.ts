/** A dashboard with a widget of each kind, over the assets of `makeAssets`. */
import type { TestConsole } from './console.ts'
import { hostileNames, sendValues } from './fixtures.mjs'

const signal = (name: string) => ({ assetId: 'pump-7', name })

export async function makeDashboard({ api }: TestConsole, fields: object = {}): Promise<string> {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  const { id } = await api('POST', '/v1/dashboards', { displayName: 'Hall 1', organizationId, ...fields })
  return id
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
