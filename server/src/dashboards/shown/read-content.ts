/** What the widgets of one dashboard name, read from its data. Data of other clients names nothing. */
import { isUuid } from '../../http/page.ts'
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

export function readContent(data: unknown): Content {
  const content: Content = { owners: [], resourceIds: [], dashboardIds: [], alarmLists: [], variables: [] }
  if (!isObject(data) || data.version !== 1 || !Array.isArray(data.widgets)) return content
  for (const widget of data.widgets) if (isObject(widget)) addWidget(content, widget)
  if (Array.isArray(data.variables)) content.variables = data.variables.filter(isVariable).map(readVariable)
  return content
}

/**
 * Entries of wrong form are left out one by one, and other options are not checked, as in the console. Buttons and
 * inputs name an asset to change it, which a token for a dashboard cannot do: they show nothing.
 */
function addWidget(content: Content, { kind, options }: Record<string, unknown>): void {
  if (!isKnown(kind) || !isObject(options)) return
  if ('signals' in optionsOfKind[kind].properties)
    content.owners.push(...readList(options.signals, isSignal).map(readOwner))
  if (kind === 'map') content.owners.push(...readList(options.markers, isMarker).map(readOwner))
  if (kind === 'map' || kind === 'image') content.resourceIds.push(...readIds(options.resourceId))
  if (kind === 'dashboard') content.dashboardIds.push(...readIds(options.dashboardId))
  if (kind === 'alarmList') addAlarmList(content, options)
}

/** Rules or assets of wrong form are not those of an absent list, which are all. */
function addAlarmList(content: Content, { assetIds, variable, alarmIds }: Record<string, unknown>): void {
  if (variable !== undefined)
    content.owners.push(...readList([variable], isText).map((name) => ({ variable: name })))
  else if (assetIds !== undefined)
    content.owners.push(...readList(assetIds, isText).map((assetId) => ({ assetId })))
  else content.alarmLists.push({ alarmIds: alarmIds === undefined ? null : readList(alarmIds, isText) })
}

const readList = <T>(value: unknown, isRight: (entry: unknown) => entry is T): T[] =>
  Array.isArray(value) ? value.filter(isRight) : []

/** An id as the database writes it, or none. */
const readIds = (value: unknown): string[] =>
  readList([value], isText)
    .map((id) => id.toLowerCase())
    .filter(isUuid)

/** Contents are kept: labels and colours are left out. */
const readOwner = ({ assetId, variable }: Owner): Owner =>
  variable === undefined ? { assetId } : { variable }

const readVariable = ({ name, kind, value }: Variable): Variable => ({
  name,
  kind,
  value: value.slice(0, kind === 'assets' ? MAX_ASSETS_OF_VARIABLE : 1),
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isKnown = (kind: unknown): kind is WidgetKind =>
  typeof kind === 'string' && Object.hasOwn(optionsOfKind, kind)

const isText = (value: unknown): value is string => typeof value === 'string'

const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value)

const isSignal = (value: unknown): value is Owner =>
  isObject(value) &&
  isText(value.name) &&
  (value.componentId === null || isTextOrAbsent(value.componentId)) &&
  ['assetId', 'variable', 'type', 'label', 'color'].every((field) => isTextOrAbsent(value[field]))

const isMarker = (value: unknown): value is Owner =>
  isObject(value) && (isText(value.assetId) || isText(value.variable))

const isVariable = (value: unknown): value is Variable =>
  isObject(value) &&
  typeof value.name === 'string' &&
  ['asset', 'assets', 'node'].includes(value.kind as string) &&
  Array.isArray(value.value) &&
  value.value.every((id) => typeof id === 'string')
