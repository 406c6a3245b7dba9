/** The topics of the device protocol, and the devices that own them. [docs/mqtt#topics] */

export const MAX_TOPIC_LEVELS = 100

/** The kind of a published message, by its topic. */
export type DeviceTopic =
  | { kind: 'telemetry' | 'reported' | 'other' }
  | { kind: 'method_response'; method: string; correlationId: string }

/** Built once per session, so that the frequent topics are compared and need not be parsed. */
export interface OwnTopics {
  /** `devices/{deviceId}` */
  root: string
  telemetry: string
  reported: string
  desired: string
}

export function ownTopics(deviceId: string): OwnTopics {
  const root = `devices/${deviceId}`
  return {
    root,
    telemetry: `${root}/telemetry`,
    reported: `${root}/twin/reported`,
    desired: `${root}/twin/desired`,
  }
}

/**
 * Whether a topic or filter lies within `devices/{deviceId}/#`; such a filter includes its parent level. Wildcards
 * stand for levels below only, so that no filter reaches another device, `$SYS` or a shared subscription.
 */
export const isOwn = ({ root }: OwnTopics, topic: string): boolean =>
  topic === root || topic.startsWith(`${root}/`)

/** @param topic one of the device's own */
export function deviceTopic(own: OwnTopics, topic: string): DeviceTopic {
  if (topic === own.telemetry) return { kind: 'telemetry' }
  if (topic === own.reported) return { kind: 'reported' }
  const [, method, , correlationId] =
    /^\/methods\/([^/]+)\/(response)\/([^/]+)$/.exec(topic.slice(own.root.length)) ?? []
  return method !== undefined && correlationId !== undefined
    ? { kind: 'method_response', method, correlationId }
    : { kind: 'other' }
}

/** Whether a topic name is valid. [MQTT 3.1.1, 4.7] */
export const isTopicName = (topic: string): boolean => topic.length > 0 && !/[#+\0]/.test(topic)

/** [MQTT 3.1.1, 4.7.1] */
export function matches(filter: string, topic: string): boolean {
  if (!/[#+]/.test(filter)) return filter === topic
  const levels = topic.split('/')
  const pattern = filter.split('/')
  for (let index = 0; index < pattern.length; index++) {
    if (pattern[index] === '#') return true
    if (index >= levels.length || (pattern[index] !== '+' && pattern[index] !== levels[index])) return false
  }
  return pattern.length === levels.length
}
