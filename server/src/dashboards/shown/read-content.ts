/** What the widgets of one dashboard name, read from its data. Data of other clients names nothing. */
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { optionsOfKind, type WidgetKind } from '../data/widgets.ts'
import { MAX_ASSETS_OF_VARIABLE } from './shown.ts'

/** Assets by their ids, or by the name of a variable. */
interface Owner {
  assetId?: string | undefined
  variable?: string | undefined
}

export interface Variable {
  name: string
  kind: 'asset' | 'assets' | 'node'
  value: string[]
}

export interface Content {
  owners: Owner[]
  resourceIds: string[]
  dashboardIds: string[]
  /** Lists of alarms of all assets; those of all rules have null. */
  alarmLists: { alarmIds: string[] | null }[]
  variables: Variable[]
}

type Options<Kind extends WidgetKind> = Static<(typeof optionsOfKind)[Kind]>

export function readContent(data: unknown): Content {
  const content: Content = { owners: [], resourceIds: [], dashboardIds: [], alarmLists: [], variables: [] }
  if (!isObject(data) || data.version !== 1 || !Array.isArray(data.widgets)) return content
  for (const widget of data.widgets) if (isObject(widget)) addWidget(content, widget)
  if (Array.isArray(data.variables)) content.variables = data.variables.filter(isVariable).map(readVariable)
  return content
}

/** Buttons and inputs name an asset to change it, which a token for a dashboard cannot do: they show nothing. */
function addWidget(content: Content, { kind, options }: Record<string, unknown>): void {
  if (!isKnown(kind) || !Value.Check(optionsOfKind[kind] as TSchema, options)) return
  const { signals = [] } = options as { signals?: Owner[] }
  content.owners.push(...signals.map(readOwner))
  if (kind === 'map') addMap(content, options as Options<'map'>)
  if (kind === 'image') content.resourceIds.push((options as Options<'image'>).resourceId.toLowerCase())
  if (kind === 'dashboard')
    content.dashboardIds.push((options as Options<'dashboard'>).dashboardId.toLowerCase())
  if (kind === 'alarmList') addAlarmList(content, options as Options<'alarmList'>)
}

function addMap(content: Content, { resourceId, markers = [] }: Options<'map'>): void {
  if (resourceId !== undefined) content.resourceIds.push(resourceId.toLowerCase())
  content.owners.push(...markers.map(readOwner))
}

function addAlarmList(content: Content, { assetIds, variable, alarmIds }: Options<'alarmList'>): void {
  if (variable !== undefined) content.owners.push({ variable })
  else if (assetIds) content.owners.push(...assetIds.map((assetId) => ({ assetId })))
  else content.alarmLists.push({ alarmIds: alarmIds ?? null })
}

/** Contents are kept: labels and colours are left out. */
const readOwner = ({ assetId, variable }: Owner): Owner => ({ assetId, variable })

const readVariable = ({ name, kind, value }: Variable): Variable => ({
  name,
  kind,
  value: value.slice(0, kind === 'assets' ? MAX_ASSETS_OF_VARIABLE : 1),
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isKnown = (kind: unknown): kind is WidgetKind =>
  typeof kind === 'string' && Object.hasOwn(optionsOfKind, kind)

const isVariable = (value: unknown): value is Variable =>
  isObject(value) &&
  typeof value.name === 'string' &&
  ['asset', 'assets', 'node'].includes(value.kind as string) &&
  Array.isArray(value.value) &&
  value.value.every((id) => typeof id === 'string')
