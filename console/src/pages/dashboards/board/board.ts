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

/** An entry of the widgets whose form is wrong. It is not drawn, and kept as it is. */
export interface ForeignWidget {
  value: unknown
  /** Its title, else its id, else its number in the data, such as `#3`. */
  name: string
  /** The field that is missing or wrong; empty if it is no object. */
  field: string
}

export interface Tab {
  id: string
  title: string
}

export interface Board {
  columns: 12 | 24
  tabs: Tab[]
  widgets: Widget[]
  foreign: ForeignWidget[]
  variables: Variable[]
}

export type Data = Record<string, unknown>

/** @returns null for data that another client made */
export function readBoard(data: Data): Board | null {
  if (Object.keys(data).length === 0)
    return { columns: 12, tabs: [], widgets: [], foreign: [], variables: [] }
  if (data.version !== 1 || !Array.isArray(data.widgets)) return null
  const columns = data.columns === 24 ? 24 : 12
  const variables = Array.isArray(data.variables) ? data.variables.filter(isVariable) : []
  const tabs = Array.isArray(data.tabs) ? data.tabs.filter(isTab) : []
  return { columns, tabs, ...readWidgets(data.widgets), variables }
}

function readWidgets(all: unknown[]): Pick<Board, 'widgets' | 'foreign'> {
  const widgets: Widget[] = []
  const foreign: ForeignWidget[] = []
  const ids = new Set<string>()
  for (const [index, value] of all.entries()) {
    const field = findWrongField(value, ids)
    if (field === undefined) {
      widgets.push(value as Widget)
      ids.add((value as Widget).id)
    } else foreign.push({ value, name: readName(value) ?? `#${index + 1}`, field })
  }
  return { widgets, foreign }
}

function readName(value: unknown): string | undefined {
  const { title, id } = isObject(value) ? value : {}
  return [title, id].find((one) => typeof one === 'string' && one !== '') as string | undefined
}

/** @returns undefined for a widget that can be drawn */
function findWrongField(value: unknown, ids: ReadonlySet<string>): string | undefined {
  if (!isObject(value)) return ''
  const checks = {
    id: typeof value.id === 'string' && value.id !== '' && !ids.has(value.id),
    kind: typeof value.kind === 'string',
    title: isTextOrAbsent(value.title),
    tab: isTextOrAbsent(value.tab),
    options: isObject(value.options),
    position: isPosition(value.position),
  }
  return Object.entries(checks).find(([, isRight]) => !isRight)?.[0]
}

/** As the server has it: greater places would make a page of endless length. */
const isPosition = (value: unknown): boolean =>
  isObject(value) &&
  isCell(value.x, 0, 23) &&
  isCell(value.y, 0, 9999) &&
  isCell(value.w, 1, 24) &&
  isCell(value.h, 1, 200)

const isCell = (value: unknown, least: number, greatest: number): boolean =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= greatest

const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'string'

/** Writes the board into the data that it was read from, whose other fields stay. */
export function writeBoard(data: Data, { columns, tabs, widgets, foreign, variables }: Board): Data {
  const foreignTabs = Array.isArray(data.tabs) ? data.tabs.filter((one) => !isTab(one)) : []
  const foreignVariables = Array.isArray(data.variables)
    ? data.variables.filter((one) => !isVariable(one))
    : []
  return {
    ...data,
    version: 1,
    ...((columns === 24 || data.columns !== undefined) && { columns }),
    ...((variables.length > 0 || Array.isArray(data.variables)) && {
      variables: [...variables, ...foreignVariables],
    }),
    ...((tabs.length > 0 || Array.isArray(data.tabs)) && { tabs: [...tabs, ...foreignTabs] }),
    widgets: [...widgets, ...foreign.map(({ value }) => value)],
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
  isTextOrAbsent(value.label) &&
  isTextOrAbsent(value.modelId)
