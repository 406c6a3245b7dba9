/** Builds the addresses of requests. */
import type { PathParameters } from './api-types.ts'
import type { paths } from './generated/api.ts'

type Value = string | number | boolean
export type QueryValues = Record<string, Value | readonly Value[] | undefined>

/**
 * `buildPath('/v1/assets/{assetId}', { assetId: 'pump 7' })` is `/v1/assets/pump%207`.
 *
 * @throws TypeError for a parameter that is missing, or that would change the path: URLs lose `.` and `..`
 */
export function buildPath<P extends keyof paths>(template: P, parameters?: PathParameters<P>): string {
  return fillPath(template, parameters as Record<string, string> | undefined)
}

export const fillPath = (template: string, parameters: Record<string, string> = {}): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodePart(name, parameters[name]))

function encodePart(name: string, value: string | undefined): string {
  if (value === undefined || value === '' || value === '.' || value === '..')
    throw new TypeError(`The path parameter ${name} is ${value === undefined ? 'missing' : `"${value}"`}.`)
  return encodeURIComponent(value)
}

/** A parameter that is undefined is left out; an array is repeated. */
export function buildQuery(values: QueryValues = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) search.append(name, String(each))
  const text = search.toString()
  return text && `?${text}`
}
