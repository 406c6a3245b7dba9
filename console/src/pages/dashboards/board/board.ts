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
}

export interface Board {
  columns: 12 | 24
  widgets: Widget[]
  variables: Variable[]
}

export type Data = Record<string, unknown>

/** @returns null for data that another client made */
export function readBoard(data: Data): Board | null {
  if (Object.keys(data).length === 0) return { columns: 12, widgets: [], variables: [] }
  if (data.version !== 1 || !Array.isArray(data.widgets)) return null
  const columns = data.columns === 24 ? 24 : 12
  const variables = Array.isArray(data.variables) ? data.variables.filter(isVariable) : []
  return { columns, widgets: data.widgets.filter(isWidget), variables }
}

/** Writes the board into the data that it was read from, whose other fields stay. */
export function writeBoard(data: Data, { columns, widgets, variables }: Board): Data {
  const foreign = Array.isArray(data.variables) ? data.variables.filter((one) => !isVariable(one)) : []
  return {
    ...data,
    version: 1,
    ...((columns === 24 || data.columns !== undefined) && { columns }),
    ...((variables.length > 0 || Array.isArray(data.variables)) && { variables: [...variables, ...foreign] }),
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

const isVariable = (value: unknown): value is Variable =>
  isObject(value) &&
  typeof value.name === 'string' &&
  ['asset', 'assets', 'node'].includes(value.kind as string) &&
  Array.isArray(value.value) &&
  value.value.every((id) => typeof id === 'string')
