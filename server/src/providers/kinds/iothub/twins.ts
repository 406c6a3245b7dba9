/** Twins of devices and modules in the hub. */
import { isProperties, type Properties } from '../../twin/merge-patch.ts'
import type { Twin } from '../provider-kind.ts'
import type { Hub, HubAnswer } from './hub.ts'
import type { Target } from './paths.ts'

const kind = 'twins'
const SHOWN_FIELDS = [
  'deviceId',
  'moduleId',
  'status',
  'connectionState',
  'lastActivityTime',
  'authenticationType',
  'capabilities',
  'tags',
]
const DESCRIBE_TIMEOUT_MS = 3000
const MAX_TRIES = 3
const PRECONDITION_FAILED = 412

export const getTwin = async (hub: Hub, target: Target): Promise<Twin> =>
  readTwin(await hub.send({ method: 'GET', kind, target }))

/** Returns the twin without its properties, which have their own routes. */
export async function describeTwin(hub: Hub, target: Target): Promise<Properties> {
  const { json } = await hub.send({ method: 'GET', kind, target, timeoutMs: DESCRIBE_TIMEOUT_MS })
  return Object.fromEntries(SHOWN_FIELDS.filter((name) => name in json).map((name) => [name, json[name]]))
}

/**
 * Merges into the desired properties; null removes one. The request carries the twin's etag, so that it does not change
 * a device that was deleted and created again.
 * @returns the full desired state with `$version`
 */
export async function patchDesired(hub: Hub, target: Target, desired: Properties): Promise<Properties> {
  for (let tries = 1; ; tries++) {
    const { etag } = (await hub.send({ method: 'GET', kind, target })).json as { etag: string }
    const request = {
      method: 'PATCH',
      kind,
      target,
      body: { properties: { desired } },
      ifMatch: etag,
    } as const
    const answer = await hub.send(request, tries < MAX_TRIES ? [PRECONDITION_FAILED] : [])
    if (answer.status !== PRECONDITION_FAILED) return readTwin(answer).desired
  }
}

function readTwin({ json }: HubAnswer): Twin {
  const properties = isProperties(json.properties) ? json.properties : {}
  return { desired: readSide(properties.desired), reported: readSide(properties.reported) }
}

/** Drops `$metadata`, which says when each property was set. */
function readSide(side: unknown): Properties {
  const { $metadata: _, $version = 0, ...properties } = isProperties(side) ? side : {}
  return { ...properties, $version }
}
