import { isIP } from 'node:net'
import Type, { type Static } from 'typebox'
import { type Issue, validationError } from '../../http/errors.ts'
import { OnboardingPage } from '../../http/page.ts'
import { DisplayName, Timestamp, Uuid } from '../../http/shapes.ts'

export const Broker = Type.Object({
  host: Type.String({ minLength: 1, maxLength: 253, description: 'Host name or IP address' }),
  port: Type.Integer({ minimum: 1, maximum: 65535 }),
})

const BrokerSelection = Type.Enum(['first', 'spread'], {
  description:
    '`first`: every device gets the first broker. `spread`: devices are spread over all brokers, and each device always gets the same one',
})

const settable = {
  name: DisplayName,
  brokers: Type.Array(Broker, { minItems: 1, maxItems: 100 }),
  provider_base_url: Type.String({ maxLength: 2048, description: 'http or https URL of the provider API' }),
  // The key is sent in a header, which can hold only visible ASCII.
  provider_api_key: Type.String({
    pattern: '^[\\x21-\\x7e]{1,4096}$',
    description: 'Secret, never answered',
  }),
  webhook_secret: Type.String({ minLength: 1, maxLength: 1024, description: 'Secret, never answered' }),
}

export const CreateRoutingTarget = Type.Object({
  ...settable,
  broker_selection: Type.Optional(BrokerSelection),
})
/** Absent fields keep their values. A new `provider_base_url` requires both secrets. */
export const UpdateRoutingTarget = Type.Partial(CreateRoutingTarget)

export type CreateRoutingTarget = Static<typeof CreateRoutingTarget>
export type UpdateRoutingTarget = Static<typeof UpdateRoutingTarget>
export type Broker = Static<typeof Broker>

/** The answer of create has exactly these fields. [docs/onboarding#routing-targets] */
export const RoutingTargetSummary = Type.Object(
  { id: Uuid, name: Type.String(), brokers: Type.Array(Broker), created_at: Timestamp },
  { title: 'RoutingTargetSummary' },
)
export const RoutingTarget = Type.Object(
  {
    ...RoutingTargetSummary.properties,
    broker_selection: BrokerSelection,
    provider_base_url: Type.String(),
  },
  { title: 'RoutingTarget' },
)
export const RoutingTargetPage = OnboardingPage(RoutingTarget)

const HOST_NAME =
  /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*$/

/** Checks the addresses here rather than in the schema, for clearer messages. @throws validation_error */
export function checkAddresses({ brokers = [], provider_base_url: url }: UpdateRoutingTarget): void {
  const issues: Issue[] = brokers
    .map(({ host }, index) => ({ host, path: `brokers.${index}.host` }))
    .filter(({ host }) => !isIP(host) && !HOST_NAME.test(host))
    .map(({ path }) => ({ path, message: 'must be a host name or an IP address, without scheme and port' }))
  if (url !== undefined && !isBaseUrl(url))
    issues.push({
      path: 'provider_base_url',
      message: 'must be an http or https URL without credentials, query and fragment',
    })
  if (issues.length > 0) throw validationError(...issues)
}

function isBaseUrl(text: string) {
  if (/\s/.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '')
}
