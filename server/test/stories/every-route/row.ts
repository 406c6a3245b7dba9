/** What a route answers to each of those who call it, in a few words. */
import type { World } from './world.ts'

export type Ids = World['ids']

type Expected = number | 'nothing'

export interface Row {
  /** Path parameters, and `query`. */
  at: Record<string, string>
  /** A function makes another for each call. */
  body: unknown
  headers: Record<string, string>
  foreign: Expected
  member: Expected
  right: number
}

type Given = Partial<Pick<Row, 'at' | 'body' | 'headers' | 'foreign' | 'member'>>

export const row = (foreign: Expected, member: Expected, right: number, given: Given): Row => ({
  at: {},
  body: undefined,
  headers: {},
  foreign,
  member,
  right,
  ...given,
})

/** An object of the tenant, or something in one: not there for strangers, forbidden for who lacks the right. */
export const object = (right: number, given: Given) => row(404, 403, right, given)
/** A list of what the caller may view. */
export const list = (given: Given = {}) => row('nothing', 'nothing', 200, given)
/** What belongs to the tenant as a whole: strangers see their own tenant's, and members need the privilege. */
export const ofTenant = (given: Given = {}) => row('nothing', 403, 200, given)
/** Everybody's own. */
export const own = (right: number, given: Given = {}) => row(right, right, right, given)
/** For owners of the environment, who are in tenant `default`. */
export const ofEnvironment = (right: number, given: Given = {}) => row(403, 403, right, given)
