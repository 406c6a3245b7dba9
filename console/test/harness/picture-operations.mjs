// The alarms, notifications, dashboards and files in the screenshots of the guide, over the plant of picture-plant.mjs.
import { until } from './fixtures.mjs'
import { plan } from './picture-plan.mjs'

const pumpModel = 'dtmi:com:example:Pump;1'
const pumps = ['feed-1', 'feed-2', 'circulation-1']

/** Tells people about hot pumps. Call it before the pumps get hot. */
export async function makeNotifications(api, { rootId, maraId, tomId }) {
  const [{ id: administratorId }] = await api('GET', '/v1/users?search=admin@example.com')
  const { id: contactGroupId } = await api('POST', '/v1/contactgroups', {
    displayName: 'On call',
    description: 'Who is called at night',
    organizationId: rootId,
    users: [administratorId, maraId, tomId],
  })
  const [{ id: ruleId }] = await api('GET', '/v1/alarms?search=too%20hot')
  await api('POST', '/v1/notifications', {
    displayName: 'Hot pumps',
    organizationId: rootId,
    broadcast: false,
    trigger: { alarmTrigger: [ruleId] },
    subscribers: { contactGroups: [{ contactGroupId }] },
    channels: {
      email: {
        active: true,
        subject: '{{assetName}} is hot',
        template: 'The temperature is {{value}} °C since {{time}}. I take care: {{ackUrl}}',
      },
    },
  })
}

/** Acknowledges the alarms of the past hour, lets the pumps get hot, and acknowledges one of the new alarms. */
export async function raiseAlarms(api, heatPumps) {
  const readOpen = () => api('GET', '/v1/alarms/status')
  const acknowledge = ({ alarmStatusId }, comment) =>
    api('PUT', `/v1/alarms/status/acknowledge/${alarmStatusId}`, { comment })
  for (const status of await readOpen()) await acknowledge(status, 'Was at full load')
  await heatPumps()
  await until(async () => (await readOpen()).filter(({ state }) => state.startsWith('active')).length >= 3)
  const low = (await readOpen()).find(({ alarmName }) => alarmName === 'Pressure too low')
  await acknowledge(low, 'Filter is being changed')
}

/** @returns the ids of the dashboards */
export async function makeDashboards(api, rootId) {
  const form = new FormData()
  form.append('displayName', 'Plan of hall 1')
  form.append('tags', JSON.stringify({ type: 'floor plan', plant: 'North' }))
  form.append('file', new Blob([plan], { type: 'image/svg+xml' }), 'hall-1.svg')
  const { id: planId } = await api('POST', '/v1/resources/upload', form)
  const make = async (displayName, data) =>
    (await api('POST', '/v1/dashboards', { displayName, organizationId: rootId, data })).id
  const fleet = await make('Plant North', fleetBoard(planId))
  const template = await make('Any pump', pumpBoard)
  return { fleet, template }
}

const at = (x, y, w, h) => ({ x, y, w, h })
const limits = {
  unit: '°C',
  min: 40,
  max: 100,
  thresholds: [{ value: 71, label: 'Too hot', color: '#b35a00' }],
}
const all = (name) => pumps.map((assetId) => ({ assetId, name, label: assetId }))

const fleetBoard = (planId) => ({
  version: 1,
  tabs: [
    { id: 'overview', title: 'Overview' },
    { id: 'plan', title: 'Floor plan' },
  ],
  widgets: [
    ...pumps.map((assetId, index) => ({
      id: `gauge-${index}`,
      kind: 'gauge',
      title: ['Feed pump 1', 'Feed pump 2', 'Circulation pump'][index],
      position: at(index * 3, 0, 3, 5),
      options: { signals: [{ assetId, name: 'temperature' }], ...limits },
    })),
    {
      id: 'alarms',
      kind: 'alarmList',
      title: 'Open alarms',
      position: at(9, 0, 3, 11),
      options: { assetIds: pumps },
    },
    {
      id: 'temperatures',
      kind: 'lineChart',
      title: 'Temperatures',
      position: at(0, 5, 9, 6),
      options: { signals: all('temperature'), unit: '°C' },
    },
    {
      id: 'running',
      kind: 'stateTimeline',
      title: 'Running',
      position: at(0, 11, 6, 4),
      options: { signals: all('running') },
    },
    {
      id: 'values',
      kind: 'table',
      title: 'Pressure',
      position: at(6, 11, 3, 4),
      options: { signals: all('pressure'), unit: 'bar', decimals: 2 },
    },
    {
      id: 'flush',
      kind: 'commandButton',
      title: 'Flush',
      position: at(9, 11, 3, 4),
      options: {
        assetId: 'feed-1',
        commandName: 'flush',
        payload: 10,
        label: 'Flush feed pump 1',
        confirm: true,
      },
    },
    {
      id: 'hall',
      kind: 'map',
      title: 'Hall 1',
      tab: 'plan',
      position: at(0, 0, 12, 11),
      options: {
        resourceId: planId,
        markers: [
          { assetId: 'feed-1', label: 'Feed pump 1', x: 0.31, y: 0.76 },
          { assetId: 'feed-2', label: 'Feed pump 2', x: 0.5, y: 0.46 },
          { assetId: 'circulation-1', label: 'Circulation pump', x: 0.5, y: 0.74 },
        ],
        signals: [
          { assetId: 'feed-1', name: 'temperature' },
          { assetId: 'feed-2', name: 'temperature' },
          { assetId: 'circulation-1', name: 'temperature' },
        ],
      },
    },
  ],
})

const pumpBoard = {
  version: 1,
  variables: [{ name: 'pump', label: 'Pump', kind: 'asset', value: ['feed-1'], modelId: pumpModel }],
  widgets: [
    {
      id: 'temperature',
      kind: 'lineChart',
      title: 'Temperature',
      position: at(0, 0, 8, 6),
      options: { signals: [{ variable: 'pump', name: 'temperature' }], unit: '°C', compare: true },
    },
    {
      id: 'gauge',
      kind: 'gauge',
      title: 'Now',
      position: at(8, 0, 4, 6),
      options: { signals: [{ variable: 'pump', name: 'temperature' }], ...limits },
    },
  ],
}

/**
 * A manual, a document, and a theme of a branch, which changes nothing for the administrator.
 *
 * @returns the ids of the document and the theme
 */
export async function makeFiles(api, northId) {
  const form = new FormData()
  form.append('displayName', 'Manual of the feed pumps')
  form.append('tags', JSON.stringify({ type: 'manual' }))
  const steps = ['Close the inlet valve.', 'Wait until the pressure is below 0.2 bar.', 'Open the housing.']
  form.append('file', new Blob([steps.join('\n')], { type: 'text/plain' }), 'feed-pump.txt')
  await api('POST', '/v1/resources/upload', form)
  const { id: documentId } = await api('POST', '/v1/resources', {
    displayName: 'Shift plan',
    tags: { type: 'plan' },
    document: { early: ['Ana Ruiz'], late: ['Tom Brandt'], night: [], changeover: '06:00' },
  })
  const { id: themeId } = await api('POST', '/v1/resources', {
    displayName: 'Colors of North',
    organizationId: northId,
    tags: { theme: 'default' },
    document: { colors: { primary: '#0b6e4f' } },
  })
  return { documentId, themeId }
}
