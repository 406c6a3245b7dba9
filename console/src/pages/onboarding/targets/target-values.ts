import type { Gangway } from '@gangway/client'
import { withTimeout } from '../../devices/timeout.ts'
import { findOwnProvider, makeSecret } from '../first-device/setup.ts'
import type { Target } from '../use-groups.ts'

/** Values of the form, named as in the API. */
export interface TargetValues {
  name: string
  brokers: { host: string; port: string }[]
  broker_selection: 'first' | 'spread'
  /** The provider on this server; empty for another service. */
  ownProvider: string
  provider_base_url: string
  provider_api_key: string
  webhook_secret: string
  /** For a provider on this server: creates a new API token although the address is unchanged. */
  isTokenRenewed: boolean
}

export interface OwnPlatform {
  /** The origin of the server according to its own settings. */
  http: string
  /** Ids of the providers that can create clients with keys. */
  providers: string[]
}

export function readTarget(target: Target, { http }: OwnPlatform): TargetValues {
  const ownProvider = findOwnProvider(target, http)
  return {
    name: target.name,
    brokers: target.brokers.map(({ host, port }) => ({ host, port: String(port) })),
    broker_selection: target.broker_selection,
    ownProvider: ownProvider ?? '',
    provider_base_url: ownProvider === null ? target.provider_base_url : '',
    provider_api_key: '',
    webhook_secret: '',
    isTokenRenewed: false,
  }
}

export const suggestTarget = (
  { providers }: OwnPlatform,
  broker: { host: string; port: string },
): TargetValues => ({
  name: '',
  brokers: [broker],
  broker_selection: 'first',
  ownProvider: providers[0] ?? '',
  provider_base_url: '',
  provider_api_key: '',
  webhook_secret: '',
  isTokenRenewed: false,
})

/** The address to save; an unchanged address of this server keeps its form. */
export function chooseAddress(values: TargetValues, { http }: OwnPlatform, saved?: Target): string {
  const { ownProvider, provider_base_url } = values
  if (ownProvider === '') return provider_base_url.trim()
  if (saved !== undefined && findOwnProvider(saved, http) === ownProvider) return saved.provider_base_url
  return `${http}/v1/providers/${encodeURIComponent(ownProvider)}`
}

const isPort = (text: string) => /^\d{1,5}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= 65_535

/** The key is sent in a header, so it consists of printable ASCII characters. */
const API_KEY = /^[\x21-\x7e]{1,4096}$/

interface Rules {
  required: string
  portRule: string
  secretRequired: string
  keyRule: string
}

/** @returns problems by the paths of the API */
export function findTargetProblems(
  values: TargetValues,
  { own, saved, words }: { own: OwnPlatform; saved: Target | undefined; words: Rules },
) {
  const problems: Partial<Record<string, string>> = {}
  if (values.name.trim() === '') problems.name = words.required
  for (const [index, { host, port }] of values.brokers.entries()) {
    if (host.trim() === '') problems[`brokers.${index}.host`] = words.required
    if (!isPort(port)) problems[`brokers.${index}.port`] = words.portRule
  }
  if (values.ownProvider !== '') return problems
  if (values.provider_base_url.trim() === '') problems.provider_base_url = words.required
  if (values.provider_api_key !== '' && !API_KEY.test(values.provider_api_key))
    problems.provider_api_key = words.keyRule
  if (chooseAddress(values, own, saved) === saved?.provider_base_url) return problems
  const missing = saved === undefined ? words.required : words.secretRequired
  if (values.provider_api_key === '') problems.provider_api_key = missing
  if (values.webhook_secret === '') problems.webhook_secret = missing
  return problems
}

/** The token created for a target on this server, so that a retry after an error creates no second one. */
export interface MadeToken {
  token?: string
}

/** The secrets of the request; empty to keep the saved ones. */
export async function chooseSecrets(
  api: Gangway,
  values: TargetValues,
  { isAddressNew, made, tokenName }: { isAddressNew: boolean; made: MadeToken; tokenName: string },
) {
  const { ownProvider, provider_api_key, webhook_secret, isTokenRenewed } = values
  if (ownProvider === '')
    return {
      ...(provider_api_key !== '' && { provider_api_key }),
      ...(webhook_secret !== '' && { webhook_secret }),
    }
  if (!isAddressNew && !isTokenRenewed) return {}
  made.token ??= (
    await api.post('/v1/api-tokens', {
      body: { displayName: tokenName, privileges: ['provider_client_management'] },
      signal: withTimeout(),
    })
  ).token
  return { provider_api_key: made.token, ...(isAddressNew && { webhook_secret: makeSecret() }) }
}

export const writeBrokers = ({ brokers }: TargetValues) =>
  brokers.map(({ host, port }) => ({ host: host.trim(), port: Number(port) }))
