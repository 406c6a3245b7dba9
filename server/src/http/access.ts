/**
 * Who may call a route: a closed set. A route names one of these; what they mean is decided in one place
 * (`guards` given to the server), so that no handler does it on its own.
 */
import type { FastifyRequest } from 'fastify'

/** A person or an automation, as the guards found them. */
export interface Caller {
  kind: 'user' | 'api_token'
  tenantId: string
  userId: string
  plan: 'standard' | 'enterprise'
  /** The API token used, where one was. */
  tokenId?: string
  /** The sign-in with a password that the access token came from. */
  signInId?: string
  /** Privileges that the token is limited to; null where it has all of its user's. */
  privileges: readonly string[] | null
  /** Of an API token or an OIDC token. A sign-in goes on beyond its access tokens, until it is ended. */
  expiresAt?: Date
  requestId: string
}

/** A token that is limited to `data_view` alone, for charts and reports: it reads, and changes nothing. */
export const isReadOnly = ({ privileges }: Pick<Caller, 'privileges'>): boolean =>
  privileges?.length === 1 && privileges[0] === 'data_view'

type Parameters = Record<string, string>

export type Access<C = unknown> = (
  | { kind: 'open' }
  | { kind: 'user' }
  | { kind: 'privilege'; privilege: string; inRoot: boolean }
  | { kind: 'permission'; permission: Permission; type: string; idOf: (parameters: Parameters) => string }
  | { kind: 'visible'; type: string }
  | { kind: 'bootstrapKey' }
  | { kind: 'webhookSignature' }
) & {
  /** Only in the types: what a handler behind this access gets as `caller`. */
  readonly caller?: C
}

export type Permission = 'view' | 'manage' | 'delete' | 'share'

/** Anyone, without credentials. */
export const open = (): Access<undefined> => ({ kind: 'open' })
/** Any signed-in user or API token. */
export const user = (): Access<Caller> => ({ kind: 'user' })
/** Who holds the privilege in some organization of their tenant. */
export const privilege = (name: string): Access<Caller> => ({
  kind: 'privilege',
  privilege: name,
  inRoot: false,
})
/** Who holds the privilege in their tenant's root organization: for what belongs to the tenant. [docs/access#privileges] */
export const privilegeInRoot = (name: string): Access<Caller> => ({
  kind: 'privilege',
  privilege: name,
  inRoot: true,
})
/** Who has the permission on the object that the path names. */
export const permission = (
  name: Permission,
  type: string,
  idOf: (p: Parameters) => string,
): Access<Caller> => ({
  kind: 'permission',
  permission: name,
  type,
  idOf,
})
/** Any signed-in user; the list holds what they may view. */
export const visible = (type: string): Access<Caller> => ({ kind: 'visible', type })
/** A device with its group's bootstrap key (Basic). `C` is what the onboarding guard finds. */
export const bootstrapKey = <C>(): Access<C> => ({ kind: 'bootstrapKey' })
/** A provider that signed the raw body with its target's webhook secret. */
export const webhookSignature = <C>(): Access<C> => ({ kind: 'webhookSignature' })

/** One guard a kind. It answers the caller, or throws `unauthorized`, `forbidden` or `not_found`. */
export type Guards = {
  [K in Access['kind']]: (access: Extract<Access, { kind: K }>, request: FastifyRequest) => Promise<unknown>
}
