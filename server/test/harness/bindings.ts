/** Binding a test's assets through the API. */
import type { Platform, RequestOptions, TestAnswer } from './platform.ts'

export const bind = (
  platform: Platform,
  assetId: string,
  body: object,
  options?: RequestOptions,
): Promise<TestAnswer> => platform.post(`/v1/assets/${assetId}/bind`, body, options)

/** @param remotes endpoint ids by the name that the transforms give them; one alone is called `x` */
export const binding = (
  localEndpointId: string,
  remotes: string | Record<string, string>,
  fields: object = {},
) => ({
  localEndpointId,
  remoteEndpointIds: Object.entries(typeof remotes === 'string' ? { x: remotes } : remotes).map(
    ([name, endpointId]) => ({ name, endpointId }),
  ),
  ...fields,
})

/** The bindings: `{'a/-/telemetry/t': ['c/-/telemetry/t']}`. */
export const boundIn = ({ body }: TestAnswer): Record<string, string[]> =>
  Object.fromEntries(
    body.bindings.map((bound: { localEndpointId: string; remoteEndpointIds: { endpointId: string }[] }) => [
      bound.localEndpointId,
      bound.remoteEndpointIds.map(({ endpointId }) => endpointId),
    ]),
  )

/** In the tenant's provider. */
export async function makeClient(
  platform: Platform,
  id: string,
  { providerId = 'mqtt', ...fields }: { providerId?: string; organizationId?: string } = {},
): Promise<void> {
  const body = { id, displayName: id, organizationId: platform.organizationId, ...fields }
  const answer = await platform.post(`/v1/providers/${providerId}/clients`, body)
  if (answer.status !== 201)
    throw new Error(`making a client answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}
