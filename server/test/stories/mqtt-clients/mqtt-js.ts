/** MQTT.js, in this process. */
import { readFileSync } from 'node:fs'
import { connect, type IClientOptions, type MqttClient } from 'mqtt'
import type { Message, PublicClient, Target } from './public-client.ts'

export const mqttJs = (protocolVersion: 4 | 5): PublicClient => {
  const start = ({ device, port, caFile }: Target, options: IClientOptions) =>
    connect(`${caFile ? 'mqtts' : 'mqtt'}://127.0.0.1:${port}`, {
      protocolVersion,
      username: device.id,
      password: device.key,
      reconnectPeriod: 0,
      ...(caFile && { ca: readFileSync(caFile) }),
      ...options,
    })
  return {
    name: `MQTT.js with MQTT ${protocolVersion === 5 ? '5' : '3.1.1'}`,
    async publish(target, { topic, payload, qos }) {
      const client = start(target, {})
      await client.publishAsync(topic, payload, { qos })
      await client.endAsync()
    },
    async listen(target, { topic, qos, clientId, isKept = false }) {
      const client = start(target, {
        clientId,
        clean: !isKept,
        ...(isKept && protocolVersion === 5 && { properties: { sessionExpiryInterval: 60 } }),
      })
      const next = collectMessages(client)
      await client.subscribeAsync(topic, { qos })
      return { next, leave: () => client.endAsync() }
    },
  }
}

/** @returns takes the next message, or waits for it */
function collectMessages(client: MqttClient): () => Promise<Message> {
  const messages: Message[] = []
  let wake = () => {}
  client.on('message', (_topic, payload, { qos }) => {
    messages.push({ payload: payload.toString(), qos })
    wake()
  })
  return async () => {
    while (messages.length === 0) await new Promise<void>((resolve) => void (wake = resolve))
    return messages.shift()!
  }
}
