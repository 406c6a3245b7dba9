/** The expected answers of a route to each kind of caller. */
import type { Platform, TestAnswer } from '../../harness/platform.ts'
import type { World } from './world.ts'

export type Ids = World['ids']

type Expected = number | 'nothing'

export interface Row {
  /** Path parameters, and `query`. */
  at: Record<string, string>
  /** A function returns a new body for each call. */
  body: unknown
  headers: Record<string, string>
  /** An administrator of another tenant. */
  otherTenant: Expected
  /** A user of the tenant without rights. */
  withoutRights: Expected
  /** With the relation `viewer` on the root organization. */
  viewer: Expected
  /** The administrator. */
  allowedStatus: number
}

type Given = Partial<Pick<Row, 'at' | 'body' | 'headers' | 'otherTenant' | 'withoutRights' | 'viewer'>>

/** The answer to a viewer has no default. */
export const row = (
  {
    otherTenant,
    withoutRights,
    viewer,
    allowedStatus,
  }: Pick<Row, 'otherTenant' | 'withoutRights' | 'viewer' | 'allowedStatus'>,
  given: Given = {},
): Row => ({
  at: {},
  body: undefined,
  headers: {},
  otherTenant,
  withoutRights,
  viewer,
  allowedStatus,
  ...given,
})

/** Changing or creating an object of the tenant: not found for other tenants, forbidden for viewers. */
export const object = (allowedStatus: number, given: Given) =>
  row({ otherTenant: 404, withoutRights: 403, viewer: 403, allowedStatus }, given)
/** Reading an object: the same, but viewers may. */
export const seen = (allowedStatus: number, given: Given) =>
  row({ otherTenant: 404, withoutRights: 403, viewer: allowedStatus, allowedStatus }, given)
/** A list of what the caller may view. */
export const list = (given: Given = {}) =>
  row({ otherTenant: 'nothing', withoutRights: 'nothing', viewer: 200, allowedStatus: 200 }, given)
/** A list of objects without an organization, which are not visible to viewers of one. */
export const listOfTenant = (given: Given = {}) => list({ viewer: 'nothing', ...given })
/** An object of the whole tenant: callers of other tenants see their own, and members need the privilege. */
export const ofTenant = (given: Given = {}) =>
  row({ otherTenant: 'nothing', withoutRights: 403, viewer: 403, allowedStatus: 200 }, given)
/** Creating such an object: callers of other tenants create it in their own. */
export const madeInTenant = (given: Given = {}) =>
  row({ otherTenant: 201, withoutRights: 403, viewer: 403, allowedStatus: 201 }, given)
/** Objects of the caller. */
export const own = (allowedStatus: number, given: Given = {}) =>
  row(
    { otherTenant: allowedStatus, withoutRights: allowedStatus, viewer: allowedStatus, allowedStatus },
    given,
  )
/** Routes for owners of the environment, who belong to tenant `default`. */
export const ofEnvironment = (allowedStatus: number, given: Given = {}) =>
  row({ otherTenant: 403, withoutRights: 403, viewer: 403, allowedStatus }, given)

/** @param token null sends none */
export function callRow(
  platform: Platform,
  route: string,
  { at, body, headers }: Row,
  token: string | null,
): Promise<TestAnswer> {
  const [method = '', template = ''] = route.split(' ')
  const path = template.replace(/\{(\w+)\}/g, (_all, name: string) => at[name] ?? `no ${name} in the table`)
  const content = typeof body === 'function' ? body() : body
  return platform.request(method, at.query ? `${path}?${at.query}` : path, content, { token, headers })
}
