/**
 * The closed set of access rules for routes. Each route names one of them, and the guards check it before the handler
 * runs, so that no handler has to.
 */
import type { FastifyRequest } from 'fastify'
import type { Shown } from '../dashboards/shown/shown.ts'

/** The authenticated user or API token of a request. */
export interface Caller {
  kind: 'user' | 'api_token'
  tenantId: string
  /** The number of the tenant, by which tables with many rows refer to it. */
  tenantNumber: number
  userId: string
  plan: 'standard' | 'enterprise'
  /** Id of the API token; absent for a user. */
  tokenId?: string
  /** The sign-in with a password that issued the access token. */
  signInId?: string
  /** Privileges that the token is limited to; null for all privileges of its user. */
  privileges: readonly string[] | null
  /** What the dashboard shows that the token is limited to; absent for other tokens. */
  shown?: Shown | undefined
  /** Expiry of an API token or OIDC token. Absent for a sign-in, which outlasts its access tokens. */
  expiresAt?: Date
  requestId: string
}

/** Whether the token is limited to `data_view` alone, for charts and reports, and may change nothing. */
export const isReadOnly = ({ privileges }: Pick<Caller, 'privileges'>): boolean =>
  privileges?.length === 1 && privileges[0] === 'data_view'

type Parameters = Record<string, string>

export type Access<C = unknown> = (
  | { kind: 'open' }
  | { kind: 'user' }
  | { kind: 'privilege'; privilege: string; inRoot: boolean }
  | { kind: 'permission'; permission: Permission; type: string; readId: (parameters: Parameters) => string }
  | { kind: 'visible'; type: string }
  | { kind: 'bootstrapKey' }
  | { kind: 'webhookSignature' }
  | { kind: 'deviceEnrollment' }
) & {
  /** Exists only in the types: the type of `caller` in the handler. */
  readonly caller?: C
}

/** Whether the rule lets in only the owner of an access token or API token: neither anyone, nor a device or provider. */
export const needsToken = ({ kind }: Access): boolean =>
  ['user', 'privilege', 'permission', 'visible'].includes(kind)

export type Permission = 'view' | 'manage' | 'delete' | 'share'

/** Anyone, without credentials. */
export const open = (): Access<undefined> => ({ kind: 'open' })
/** Any signed-in user or API token. */
export const user = (): Access<Caller> => ({ kind: 'user' })
/** Callers with the privilege in any organization of their tenant. */
export const privilege = (name: string): Access<Caller> => ({
  kind: 'privilege',
  privilege: name,
  inRoot: false,
})
/** Callers with the privilege in their tenant's root organization, for objects of the tenant. [docs/access#privileges] */
export const privilegeInRoot = (name: string): Access<Caller> => ({
  kind: 'privilege',
  privilege: name,
  inRoot: true,
})
/** Callers with the permission on the object in the path. */
export const permission = (
  name: Permission,
  type: string,
  readId: (p: Parameters) => string,
): Access<Caller> => ({
  kind: 'permission',
  permission: name,
  type,
  readId,
})
/** Any signed-in user; the list contains only what they may view. */
export const visible = (type: string): Access<Caller> => ({ kind: 'visible', type })
/** A device with the bootstrap key of its group (Basic authentication). `C` is the caller of the onboarding guard. */
export const bootstrapKey = <C>(): Access<C> => ({ kind: 'bootstrapKey' })
/** A device with a client certificate or Basic credentials, over TLS. `C` is the caller of the onboarding guard. */
export const deviceEnrollment = <C>(): Access<C> => ({ kind: 'deviceEnrollment' })
/** A provider that signed the raw body with the webhook secret of its routing target. */
export const webhookSignature = <C>(): Access<C> => ({ kind: 'webhookSignature' })

/** One guard for each kind. It returns the caller or throws `unauthorized`, `forbidden` or `not_found`. */
export type Guards = {
  [K in Access['kind']]: (access: Extract<Access, { kind: K }>, request: FastifyRequest) => Promise<unknown>
}
