/** The topics of one device. [MQTT (device protocol)] */
export interface Topics {
  telemetry: string
  reported: string
  desired: string
  /** The topic filter of all methods of the device. */
  invocations: string
  /** The method of an invocation on `topic`, or null if the topic is not an invocation. */
  readMethodName(topic: string): string | null
  response(method: string, correlationId: string): string
}

export function createTopics(deviceId: string): Topics {
  const root = `devices/${deviceId}`
  const methods = `${root}/methods/`
  return {
    telemetry: `${root}/telemetry`,
    reported: `${root}/twin/reported`,
    desired: `${root}/twin/desired`,
    invocations: `${methods}+/invoke`,
    readMethodName(topic) {
      if (!topic.startsWith(methods)) return null
      const [method, last, ...rest] = topic.slice(methods.length).split('/')
      return method && last === 'invoke' && rest.length === 0 ? method : null
    },
    response: (method, correlationId) => `${methods}${method}/response/${correlationId}`,
  }
}

/** Whether `text` can be a topic level; anything else would end the connection or reach another topic. */
export const isTopicLevel = (text: string): boolean =>
  text.length > 0 &&
  text.length <= 256 &&
  !['/', '+', '#', '\0'].some((character) => text.includes(character))
