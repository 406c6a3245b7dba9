/** What a route answers to each of those who call it, in a few words. */
import type { Platform, TestAnswer } from '../../harness/platform.ts'
import type { World } from './world.ts'

export type Ids = World['ids']

type Expected = number | 'nothing'

export interface Row {
  /** Path parameters, and `query`. */
  at: Record<string, string>
  /** A function makes another for each call. */
  body: unknown
  headers: Record<string, string>
  /** An administrator of another tenant. */
  otherTenant: Expected
  /** Of the tenant, without any right. */
  withoutRights: Expected
  /** With the relation `viewer` on the root organization. */
  viewer: Expected
  /** The administrator. */
  allowedStatus: number
}

type Given = Partial<Pick<Row, 'at' | 'body' | 'headers' | 'otherTenant' | 'withoutRights' | 'viewer'>>

/** A row says what a viewer is answered, too: there is no default for it. */
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

/** Changing an object of the tenant, or making one in it: not there for strangers, forbidden for who only views. */
export const object = (allowedStatus: number, given: Given) =>
  row({ otherTenant: 404, withoutRights: 403, viewer: 403, allowedStatus }, given)
/** Reading an object: the same, but whoever views may. */
export const seen = (allowedStatus: number, given: Given) =>
  row({ otherTenant: 404, withoutRights: 403, viewer: allowedStatus, allowedStatus }, given)
/** A list of what the caller may view. */
export const list = (given: Given = {}) =>
  row({ otherTenant: 'nothing', withoutRights: 'nothing', viewer: 200, allowedStatus: 200 }, given)
/** A list of things that do not belong to an organization, so that viewing one shows none of them. */
export const listOfTenant = (given: Given = {}) => list({ viewer: 'nothing', ...given })
/** What belongs to the tenant as a whole: strangers see their own tenant's, and members need the privilege. */
export const ofTenant = (given: Given = {}) =>
  row({ otherTenant: 'nothing', withoutRights: 403, viewer: 403, allowedStatus: 200 }, given)
/** Making such a thing: a stranger makes it in their own tenant. */
export const madeInTenant = (given: Given = {}) =>
  row({ otherTenant: 201, withoutRights: 403, viewer: 403, allowedStatus: 201 }, given)
/** Everybody's own. */
export const own = (allowedStatus: number, given: Given = {}) =>
  row(
    { otherTenant: allowedStatus, withoutRights: allowedStatus, viewer: allowedStatus, allowedStatus },
    given,
  )
/** For owners of the environment, who are in tenant `default`. */
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
