/** Data of a dashboard. What the console does not know is kept as it is. */
export interface Position {
  x: number
  y: number
  w: number
  h: number
}

export interface Widget {
  id: string
  kind: string
  title?: string
  /** Id of its tab. */
  tab?: string
  position: Position
  options: Record<string, unknown>
}

/** An asset, several, or all of a node, in whose place a user of the dashboard may choose others. */
export interface Variable {
  name: string
  label?: string
  kind: 'asset' | 'assets' | 'node'
  /** Ids of the assets, or of the node. */
  value: string[]
  /** Only assets of this model may be chosen; each of them shows the dashboard on its page. */
  modelId?: string
}

export interface Tab {
  id: string
  title: string
}

export interface Board {
  columns: 12 | 24
  tabs: Tab[]
  widgets: Widget[]
  variables: Variable[]
}

export type Data = Record<string, unknown>

/** @returns null for data that another client made */
export function readBoard(data: Data): Board | null {
  if (Object.keys(data).length === 0) return { columns: 12, tabs: [], widgets: [], variables: [] }
  if (data.version !== 1 || !Array.isArray(data.widgets)) return null
  const columns = data.columns === 24 ? 24 : 12
  const variables = Array.isArray(data.variables) ? data.variables.filter(isVariable) : []
  const tabs = Array.isArray(data.tabs) ? data.tabs.filter(isTab) : []
  return { columns, tabs, widgets: data.widgets.filter(isWidget), variables }
}

/** Writes the board into the data that it was read from, whose other fields stay. */
export function writeBoard(data: Data, { columns, tabs, widgets, variables }: Board): Data {
  const foreignTabs = Array.isArray(data.tabs) ? data.tabs.filter((one) => !isTab(one)) : []
  const foreign = Array.isArray(data.variables) ? data.variables.filter((one) => !isVariable(one)) : []
  return {
    ...data,
    version: 1,
    ...((columns === 24 || data.columns !== undefined) && { columns }),
    ...((variables.length > 0 || Array.isArray(data.variables)) && { variables: [...variables, ...foreign] }),
    ...((tabs.length > 0 || Array.isArray(data.tabs)) && { tabs: [...tabs, ...foreignTabs] }),
    widgets,
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isWidget = (value: unknown): value is Widget =>
  isObject(value) &&
  typeof value.id === 'string' &&
  typeof value.kind === 'string' &&
  isObject(value.options) &&
  isObject(value.position) &&
  ['x', 'y', 'w', 'h'].every((name) => Number.isInteger((value.position as Record<string, unknown>)[name]))

const isTab = (value: unknown): value is Tab =>
  isObject(value) &&
  typeof value.title === 'string' &&
  typeof value.id === 'string' &&
  /^[A-Za-z0-9._-]{1,64}$/.test(value.id)

const isVariable = (value: unknown): value is Variable =>
  isObject(value) &&
  typeof value.name === 'string' &&
  ['asset', 'assets', 'node'].includes(value.kind as string) &&
  Array.isArray(value.value) &&
  value.value.every((id) => typeof id === 'string') &&
  ['string', 'undefined'].includes(typeof value.modelId)
