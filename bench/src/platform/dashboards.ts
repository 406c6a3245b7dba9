/** Dashboards, and a user who opens them in the console. */
import type { Page } from 'playwright-core'
import type { Platform } from './start.ts'

const COLUMNS = 12
const watcher = { displayName: 'Watcher', email: 'watcher@example.com', password: 'a long enough password' }

export interface Series {
  assetId: string
  name: string
}

export interface BoardWidget {
  kind: string
  options: object
}

export const makeChart = (signals: Series[]): BoardWidget => ({ kind: 'lineChart', options: { signals } })

interface BoardOptions {
  displayName: string
  widgets: BoardWidget[]
  /** Columns and rows of a widget, which stand side by side in 12 columns. */
  size: { w: number; h: number }
}

/** @returns the id of the dashboard */
export async function createBoard(
  platform: Platform,
  { displayName, widgets, size }: BoardOptions,
): Promise<string> {
  const perRow = COLUMNS / size.w
  const placed = widgets.map((widget, index) => ({
    ...widget,
    id: `widget-${index}`,
    title: `Widget ${index}`,
    position: { x: (index % perRow) * size.w, y: Math.floor(index / perRow) * size.h, ...size },
  }))
  const { id } = await platform.api().post<{ id: string }>('/v1/dashboards', {
    displayName,
    organizationId: await findOrganization(platform),
    data: { version: 1, widgets: placed },
  })
  return id
}

/** Makes a user who may view everything, and whom `signIn` signs in. */
export async function createWatcher(platform: Platform): Promise<void> {
  const api = platform.api()
  const { id } = await api.post<{ id: string }>('/v1/users', watcher)
  await api.post('/v1/relations', {
    subjectType: 'user',
    subjectId: id,
    relation: 'viewer',
    resourceType: 'organization',
    resourceId: await findOrganization(platform),
  })
}

async function findOrganization({ pool }: Platform): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from organizations where parent_organization_id is null',
  )
  return rows[0]!.id
}

/** Signs in on a page that shows the form. */
export async function signIn(
  page: Page,
  { email, password }: { email: string; password: string } = watcher,
): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
