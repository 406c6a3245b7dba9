import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'

/** One query parameter: how it is read, and how it is written. A default is left out of the address. */
export interface UrlField<T> {
  parse: (raw: string | undefined) => T
  format: (value: T) => string | undefined
}

/** Each field has a type of its own, which `UrlState` keeps. */
type Fields = Record<
  string,
  { parse: (raw: string | undefined) => unknown; format: (value: never) => string | undefined }
>

export type UrlState<F> = { [K in keyof F]: F[K] extends UrlField<infer T> ? T : never }

export const text = (byDefault = ''): UrlField<string> => ({
  parse: (raw) => raw ?? byDefault,
  format: (value) => (value === byDefault ? undefined : value),
})

/** One of some words; anything else is the first. */
export const choice = <const T extends string>(options: readonly [T, ...T[]]): UrlField<T> => ({
  parse: (raw) => options.find((option) => option === raw) ?? options[0],
  format: (value) => (value === options[0] ? undefined : value),
})

export const number = (byDefault: number, { min = -Infinity, max = Infinity } = {}): UrlField<number> => ({
  parse: (raw) => {
    const value = Number(raw ?? Number.NaN)
    return Number.isFinite(value) ? Math.min(max, Math.max(min, value)) : byDefault
  },
  format: (value) => (value === byDefault ? undefined : String(value)),
})

/** Several values, separated by commas. */
export const list = (): UrlField<string[]> => ({
  parse: (raw) => (raw ? raw.split(',').map(decodeURIComponent) : []),
  format: (values) => (values.length === 0 ? undefined : values.map(encodeURIComponent).join(',')),
})

/**
 * State of a page that belongs into its link. Declare the fields outside of the component:
 *
 *     const fields = { search: text(), tab: choice(['live', 'history']) }
 *     const [state, change] = useUrlState(fields)
 *     change({ tab: 'history' })
 *
 * A change replaces the entry of the history, unless `{ push: true }`.
 */
export function useUrlState<F extends Fields>(fields: F) {
  const search = useRouterState({ select: (router) => router.location.searchStr })
  const navigate = useNavigate()
  const state = useMemo(() => {
    const raw = new URLSearchParams(search)
    const entries = Object.entries(fields).map(([name, field]) => [
      name,
      field.parse(raw.get(name) ?? undefined),
    ])
    return Object.fromEntries(entries) as UrlState<F>
  }, [search, fields])
  const change = useCallback(
    (changes: Partial<UrlState<F>>, { push = false } = {}) => {
      const next = (present: Record<string, string>) => {
        const written = { ...present }
        for (const [name, value] of Object.entries(changes)) {
          const formatted = fields[name]!.format(value as never)
          if (formatted === undefined) delete written[name]
          else written[name] = formatted
        }
        return written
      }
      return navigate({ to: '.', search: next as never, hash: true, replace: !push, resetScroll: false })
    },
    [navigate, fields],
  )
  return [state, change] as const
}

/** Query strings as everybody writes them: `?tab=live&search=pump`. */
export const parseSearch = (search: string) => Object.fromEntries(new URLSearchParams(search))

export function stringifySearch(search: Record<string, unknown>) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) if (value !== undefined) query.set(name, String(value))
  const written = query.toString()
  return written === '' ? '' : `?${written}`
}
