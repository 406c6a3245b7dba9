/**
 * What is on a dashboard: `{version: 1, columns?, widgets}`. Data without a version was written before there were any;
 * it is kept as it is, and its dashboards go on opening.
 */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Issue, validationError } from '../../http/errors.ts'
import { issuesOf } from '../../http/validate.ts'
import { DashboardData, optionsOfKind, type Widget, type WidgetKind, widgetKinds } from './widgets.ts'

const data = Compile(DashboardData)
const options = Object.fromEntries(
  widgetKinds.map((kind): [WidgetKind, ReturnType<typeof Compile<TSchema>>] => [
    kind,
    Compile(optionsOfKind[kind] as TSchema),
  ]),
) as Record<WidgetKind, ReturnType<typeof Compile<TSchema>>>

const MAX_ISSUES = 20

/** @throws validation_error that names the path of what is wrong */
export function requireDashboardData(given: Record<string, unknown>): void {
  if (!('version' in given)) return
  if (given.version !== 1)
    throw validationError({ path: 'data.version', message: 'must be 1; this server knows no other' })
  if (!data.Check(given)) throw validationError(...at('data', issuesOf(data.Errors(given), '')))
  const issues = given.widgets.flatMap((widget, index) => [
    ...problemsOf(widget, given.columns ?? 12, `data.widgets.${index}`),
    ...repeated(given.widgets, index),
  ])
  if (issues.length > 0) throw validationError(...issues.slice(0, MAX_ISSUES))
}

function problemsOf(
  { kind, position, options: chosen }: Static<typeof Widget>,
  columns: number,
  path: string,
) {
  const check = options[kind]
  const issues = check.Check(chosen) ? [] : at(`${path}.options`, issuesOf(check.Errors(chosen), ''))
  if (position.x + position.w > columns)
    issues.push({ path: `${path}.position`, message: `reaches beyond the ${columns} columns of the grid` })
  const { min, max } = chosen as { min?: number; max?: number }
  if (min !== undefined && max !== undefined && min >= max)
    issues.push({ path: `${path}.options.max`, message: 'must be more than min' })
  return issues
}

/** A widget is found by its id. */
const repeated = (widgets: { id: string }[], index: number): Issue[] => {
  const { id } = widgets[index]!
  const isFirst = widgets.findIndex((widget) => widget.id === id) === index
  return isFirst ? [] : [{ path: `data.widgets.${index}.id`, message: 'stands on the dashboard twice' }]
}

const at = (place: string, issues: Issue[]): Issue[] =>
  issues.map(({ path, message }) => ({ path: path ? `${place}.${path}` : place, message }))
