/** Valid packets of MQTT 3.1.1 and 5, as devices send them. */
import { generate, type IConnectPacket, type IPublishPacket, type Packet } from 'mqtt-packet'
import type { Random } from './random.ts'

export interface Speaker {
  version: 4 | 5
  deviceId: string
  password: string
}

export function connectPacket(random: Random, { version, deviceId, password }: Speaker): Buffer {
  const hasWill = random.chance(0.3)
  const packet: IConnectPacket = {
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: version,
    clientId: random.pick([deviceId, 'a', 'b', 'c', 'd', '']),
    clean: random.chance(0.6),
    keepalive: random.pick([0, 1, 30, 65_535]),
    username: deviceId,
    password: Buffer.from(password),
    ...(hasWill && {
      will: {
        topic: `devices/${deviceId}/${random.pick(['will', 'telemetry', 'twin/reported'])}`,
        payload: Buffer.from('{"gone":true}'),
        qos: random.pick([0, 1, 2] as const),
        retain: random.chance(0.2),
        ...(version === 5 && { properties: pickSome(random, willProperties) }),
      },
    }),
    ...(version === 5 && { properties: pickSome(random, connectProperties) }),
  }
  // Before MQTT 5 a session that is kept needs a client id.
  if (packet.clientId === '') packet.clean = true
  return toBytes(packet, version)
}

const userProperties = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  x: ['1', '2'],
}
const connectProperties = {
  sessionExpiryInterval: 20,
  receiveMaximum: 3,
  maximumPacketSize: 200,
  topicAliasMaximum: 5,
  requestResponseInformation: true,
  requestProblemInformation: false,
  userProperties,
}
const willProperties = {
  willDelayInterval: 1,
  payloadFormatIndicator: true,
  messageExpiryInterval: 5,
  contentType: 'application/json',
  responseTopic: 'r',
  correlationData: Buffer.from('c'),
  userProperties,
}
const publishProperties = {
  payloadFormatIndicator: true,
  messageExpiryInterval: 2,
  topicAlias: 1,
  responseTopic: 'r/s',
  correlationData: Buffer.from([0, 1, 2]),
  userProperties,
  contentType: 'application/json',
}

/** Any packet that a client may send after CONNECT. */
export function clientPacket(random: Random, speaker: Speaker): Buffer {
  const { version } = speaker
  const messageId = random.chance(0.9) ? 1 + random.below(20) : 1 + random.below(65_535)
  switch (random.below(14)) {
    case 0:
    case 1:
      return toBytes(subscribe(random, speaker, messageId), version)
    case 2:
      return toBytes(
        { cmd: 'unsubscribe', messageId, unsubscriptions: [pickFilter(random, speaker)] },
        version,
      )
    case 3:
      return toBytes({ cmd: 'pingreq' }, version)
    case 4:
      return toBytes({ cmd: 'pubrel', messageId }, version)
    case 5:
    case 6: {
      const cmd = random.pick(['puback', 'pubrec', 'pubcomp'] as const)
      const isRefused = version === 5 && random.chance(0.3)
      const properties = { reasonString: 'no', userProperties }
      // PUBCOMP has one code of its own. [MQTT 5.0, 3.7.2.1]
      const reasonCode = cmd === 'pubcomp' ? 0x92 : 0x80
      return toBytes({ cmd, messageId, ...(isRefused && { reasonCode, properties }) }, version)
    }
    case 7: {
      const isLong = version === 5 && random.chance(0.5)
      const properties = { sessionExpiryInterval: random.pick([0, 10]), reasonString: 'bye' }
      return toBytes({ cmd: 'disconnect', ...(isLong && { reasonCode: 4, properties }) }, version)
    }
    default:
      return toBytes(publish(random, speaker, messageId), version)
  }
}

function publish(random: Random, { version, deviceId }: Speaker, messageId: number): IPublishPacket {
  const level = random.pick([
    'telemetry',
    'telemetry',
    'twin/reported',
    'own',
    'own/deep/er',
    'methods/restart/response/1',
    'é/ü/😀',
  ])
  const properties = pickSome(random, publishProperties)
  // An alias without its topic follows only sometimes a packet that sets it.
  const isByAlias = version === 5 && properties.topicAlias !== undefined && random.chance(0.3)
  const qos = random.pick([0, 1, 2] as const)
  return {
    cmd: 'publish',
    topic: isByAlias ? '' : `devices/${deviceId}/${level}`,
    payload: pickPayload(random),
    qos,
    dup: qos > 0 && random.chance(0.2),
    retain: random.chance(0.2),
    ...(qos > 0 && { messageId }),
    ...(version === 5 && { properties }),
  }
}

function pickPayload(random: Random): Buffer {
  const size = random.pick([0, 1, 100, 100, 100, 5000, 100_000])
  return random.pick([
    () => Buffer.from(JSON.stringify({ temperature: random.below(100), count: random.below(1e9) })),
    () => Buffer.from('{"status":200,"payload":{"ok":true}}'),
    () => Buffer.alloc(size, 'a'),
    () => random.bytes(Math.min(size, 500)),
  ])()
}

function subscribe(random: Random, speaker: Speaker, messageId: number): Packet {
  const isNew = speaker.version === 5
  return {
    cmd: 'subscribe',
    messageId,
    subscriptions: Array.from({ length: 1 + random.below(3) }, () => ({
      topic: pickFilter(random, speaker),
      qos: random.pick([0, 1, 2] as const),
      ...(isNew && {
        nl: random.chance(0.2),
        rap: random.chance(0.5),
        rh: random.pick([0, 1, 2] as const),
      }),
    })),
    ...(isNew &&
      random.chance(0.3) && {
        properties: { subscriptionIdentifier: 1 + random.below(300), userProperties },
      }),
  }
}

const pickFilter = (random: Random, { deviceId }: Speaker) =>
  random.pick([
    `devices/${deviceId}/#`,
    `devices/${deviceId}/+`,
    `devices/${deviceId}/own`,
    `devices/${deviceId}/own/+/er`,
    `devices/${deviceId}/twin/desired`,
    `devices/${deviceId}/methods/+/request/+`,
    'devices/other/#',
    `$share/group/devices/${deviceId}/#`,
  ])

function pickSome<T extends object>(random: Random, properties: T): Partial<T> {
  return Object.fromEntries(Object.entries(properties).filter(() => random.chance(0.25))) as Partial<T>
}

const toBytes = (packet: Packet, version: 4 | 5): Buffer => generate(packet, { protocolVersion: version })
