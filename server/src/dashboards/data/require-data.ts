/**
 * Checks the data of a dashboard. `{version: 1, columns?, widgets}` is what the console draws, and its widgets are
 * checked. Any other object belongs to the client that wrote it, and is stored unchanged.
 */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { ApiError, type Issue, validationError } from '../../http/errors.ts'
import { listIssues } from '../../http/validate.ts'
import { DashboardData, optionsOfKind, type Widget, type WidgetKind, widgetKinds } from './widgets.ts'

const data = Compile(DashboardData)
const options = Object.fromEntries(
  widgetKinds.map((kind): [WidgetKind, ReturnType<typeof Compile<TSchema>>] => [
    kind,
    Compile(optionsOfKind[kind] as TSchema),
  ]),
) as Record<WidgetKind, ReturnType<typeof Compile<TSchema>>>

const MAX_ISSUES = 20
const MAX_BYTES = 1024 * 1024

/** @throws payload_too_large; validation_error with the paths of the problems */
export function requireDashboardData(given: Record<string, unknown>): void {
  requireDataSize(given)
  if (given.version !== 1 || !('widgets' in given)) return
  if (!data.Check(given)) throw validationError(...prefixPaths('data', listIssues(data.Errors(given), '')))
  const issues = given.widgets.flatMap((widget, index) => [
    ...findProblems(widget, given.columns ?? 12, `data.widgets.${index}`),
    ...findRepeatedId(given.widgets, index),
  ])
  if (issues.length > 0) throw validationError(...issues.slice(0, MAX_ISSUES))
}

/** @throws payload_too_large */
export function requireDataSize(given: Record<string, unknown>): void {
  const bytes = Buffer.byteLength(JSON.stringify(given))
  if (bytes <= MAX_BYTES) return
  const message = `data has ${bytes} bytes of JSON, and may have ${MAX_BYTES}. Keep pictures and documents as resources.`
  throw new ApiError('payload_too_large', message, { bytes, maxBytes: MAX_BYTES })
}

function findProblems(
  { kind, position, options: chosen }: Static<typeof Widget>,
  columns: number,
  path: string,
) {
  const check = options[kind]
  const issues = check.Check(chosen)
    ? []
    : prefixPaths(`${path}.options`, listIssues(check.Errors(chosen), ''))
  if (position.x + position.w > columns)
    issues.push({ path: `${path}.position`, message: `reaches beyond the ${columns} columns of the grid` })
  const { min, max, signals = [] } = chosen as { min?: number; max?: number; signals?: Owned[] }
  if (min !== undefined && max !== undefined && min >= max)
    issues.push({ path: `${path}.options.max`, message: 'must be more than min' })
  if (check.Check(chosen))
    for (const [index, signal] of signals.entries())
      if (!hasOneOwner(signal))
        issues.push({ path: `${path}.options.signals.${index}`, message: OWNER_IS_MISSING })
  const { assetIds, variable } = chosen as { assetIds?: string[]; variable?: string }
  if (kind === 'alarmList' && assetIds?.length && variable !== undefined)
    issues.push({ path: `${path}.options`, message: 'takes either assetIds or variable' })
  const isOfAsset = kind === 'commandButton' || kind === 'propertyInput'
  if (isOfAsset && !hasOneOwner(chosen)) issues.push({ path: `${path}.options`, message: OWNER_IS_MISSING })
  return issues
}

interface Owned {
  assetId?: string
  variable?: string
}

const OWNER_IS_MISSING = 'must have either assetId or variable'
const hasOneOwner = ({ assetId, variable }: Owned) => (assetId === undefined) !== (variable === undefined)

/** The ids of widgets must be unique. */
const findRepeatedId = (widgets: { id: string }[], index: number): Issue[] => {
  const { id } = widgets[index]!
  const isFirst = widgets.findIndex((widget) => widget.id === id) === index
  return isFirst ? [] : [{ path: `data.widgets.${index}.id`, message: 'is on the dashboard twice' }]
}

const prefixPaths = (place: string, issues: Issue[]): Issue[] =>
  issues.map(({ path, message }) => ({ path: path ? `${place}.${path}` : place, message }))
