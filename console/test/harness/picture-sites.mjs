// The dashboard of all plants in the screenshots of the guide: a map of the world, two versions by two people; and a link
// to another dashboard for a screen.
import { makeApi } from './fixtures.mjs'

const DAY_MS = 86_400_000
const mara = { email: 'mara@example.com', password: 'correct horse battery' }

/** Call it when the people, the assets and the dashboard `fleet` are there. */
export async function makeSites(api, { northId, fleet }) {
  const { http: url } = await api('GET', '/v1/endpoints')
  const dashboard = {
    displayName: 'Plants',
    organizationId: northId,
    data: board('Tom Brandt'),
  }
  const { id: sites } = await api('POST', '/v1/dashboards', dashboard)
  await saveSites(url, sites, board('Ana Ruiz'))
  const expiresAt = new Date(Date.now() + 90 * DAY_MS).toISOString()
  const link = { displayName: 'Hall 1, entrance', expiresAt }
  const { token: screenToken } = await api('POST', `/v1/dashboards/${fleet}/api-tokens`, link)
  return { sites, screenToken }
}

/** Names somebody else on the dashboard, as Mara does while it is being edited. */
export async function renameOnCall(url, sites) {
  const api = await makeApi(url, mara)
  const { data } = await api('GET', `/v1/dashboards/${sites}`)
  const present = JSON.stringify(data.widgets)
  await saveSites(url, sites, board(['Mara Keller', 'Tom Brandt'].find((one) => !present.includes(one))))
}

async function saveSites(url, sites, data) {
  const api = await makeApi(url, mara)
  await api('PATCH', `/v1/dashboards/${sites}`, { data })
}

const pins = [
  { assetId: 'feed-1', label: 'Hamburg', latitude: 53.55, longitude: 9.99 },
  { assetId: 'feed-2', label: 'Lyon', latitude: 45.76, longitude: 4.84 },
  { assetId: 'circulation-1', label: 'Cracow', latitude: 50.06, longitude: 19.94 },
]

const board = (onCall) => ({
  version: 1,
  widgets: [
    {
      id: 'map',
      kind: 'map',
      title: 'Plants in Europe',
      position: { x: 0, y: 0, w: 9, h: 10 },
      options: { markers: pins, signals: pins.map(({ assetId }) => ({ assetId, name: 'temperature' })) },
    },
    {
      id: 'on-call',
      kind: 'text',
      title: 'On call',
      position: { x: 9, y: 0, w: 3, h: 10 },
      options: { text: `Tonight: **${onCall}**` },
    },
  ],
})
