/**
 * Checks the data of a dashboard. `{version: 1, columns?, widgets}` is what the console draws, and its widgets are
 * checked. Any other object belongs to the client that wrote it, and is stored unchanged.
 */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { ApiError, type Issue, validationError } from '../../http/errors.ts'
import { listIssues } from '../../http/validate.ts'
import { DashboardData, optionsOfKind, Widget, type WidgetKind, widgetKinds } from './widgets.ts'

const data = Compile(DashboardData)
const form = Compile(Widget)
const options = Object.fromEntries(
  widgetKinds.map((kind): [WidgetKind, ReturnType<typeof Compile<TSchema>>] => [
    kind,
    Compile(optionsOfKind[kind] as TSchema),
  ]),
) as Record<WidgetKind, ReturnType<typeof Compile<TSchema>>>

const MAX_ISSUES = 20
const MAX_BYTES = 1024 * 1024

/**
 * Widgets that are unchanged on the same grid are not checked again: a newer server, or one that checked less, may have
 * stored what this one does not know, and the rest of the dashboard can still be changed.
 * @param present the stored data, if there is any
 * @throws payload_too_large; validation_error with the paths of the problems
 */
export function requireDashboardData(given: Data, present: Data = {}): void {
  requireDataSize(given)
  if (given.version !== 1 || !('widgets' in given)) return
  if (!data.Check(given)) throw validationError(...prefixPaths('data', listIssues(data.Errors(given), '')))
  const { widgets, columns = 12 } = given
  const stored = countStored(present, columns)
  const isStored = widgets.map((widget) => {
    const key = writeStable(widget)
    const left = stored.get(key) ?? 0
    stored.set(key, left - 1)
    return left > 0
  })
  const issues = widgets.flatMap((widget, index) => {
    if (isStored[index]) return []
    const path = `data.widgets.${index}`
    if (!form.Check(widget)) return prefixPaths(path, listIssues(form.Errors(widget), ''))
    const isTwice = widgets.some(
      (other, place) => place !== index && readId(other) === widget.id && (place < index || isStored[place]),
    )
    return [
      ...findProblems(widget, columns, path),
      ...(isTwice ? [{ path: `${path}.id`, message: 'is on the dashboard twice' }] : []),
    ]
  })
  if (issues.length > 0) throw validationError(...issues.slice(0, MAX_ISSUES))
}

type Data = Record<string, unknown>

/** Counts equal widgets: a copy of a stored widget is not stored yet. */
function countStored({ version, widgets, columns = 12 }: Data, grid: number): Map<string, number> {
  const counts = new Map<string, number>()
  if (version !== 1 || columns !== grid || !Array.isArray(widgets)) return counts
  for (const key of widgets.map(writeStable)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** Writes JSON with sorted keys, since the database keeps them in another order. */
const writeStable = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

const readId = (widget: unknown): unknown => (widget as { id?: unknown } | null)?.id

/** @throws payload_too_large */
export function requireDataSize(given: Data): void {
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
  const { min, max } = chosen as { min?: number; max?: number }
  if (min !== undefined && max !== undefined && min >= max)
    issues.push({ path: `${path}.options.max`, message: 'must be more than min' })
  if (check.Check(chosen))
    for (const list of ['signals', 'markers'] as const)
      for (const [index, entry] of ((chosen as Partial<Record<typeof list, Owned[]>>)[list] ?? []).entries())
        if (!hasOneOwner(entry))
          issues.push({ path: `${path}.options.${list}.${index}`, message: OWNER_IS_MISSING })
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

const prefixPaths = (place: string, issues: Issue[]): Issue[] =>
  issues.map(({ path, message }) => ({ path: path ? `${place}.${path}` : place, message }))
