/** The limits whose effects are recorded, each with what happened and what to do about it. [docs/mqtt#ledger] */
export const limitAdvice = {
  message_bytes: 'A message was too large. Divide it, or send it more compactly.',
  packet_bytes:
    'A packet that is not a message was too large. Subscribe to fewer topics at once, or shorten the will.',
  topic_levels: 'A topic had too many levels. Shorten it.',
  receive_maximum:
    'The device sent more messages than the receive maximum of CONNACK allows before an acknowledgement. Wait for acknowledgements.',
  topic_alias_maximum:
    'The device used a topic alias that CONNACK does not allow. Use its topic alias maximum.',
  subscriptions: 'A subscription was refused because its session has too many. Use wildcards.',
  sessions: 'A connection was refused because the device has too many. End connections that it does not use.',
  stored_sessions:
    'A stored session of the device was removed with what waited for it, because the device opened too many others. Use fewer client ids.',
  retained_messages:
    'A message was not retained because the device has too many. Clear others by an empty message with the retain flag.',
  message_expiry:
    'Messages expired, as their sender had asked, before the device took them. Connect more often, or let them expire later.',
  client_packet_bytes:
    'Messages were larger than the maximum packet size in CONNECT of the device. Send smaller messages, or raise it.',
  unsent_bytes:
    'The device does not read what is sent to it. Messages with QoS 0 were dropped, and its own packets waited. Read faster, or subscribe to less.',
  queued_messages:
    'Too many messages waited for a session, and the oldest were dropped. Connect more often, acknowledge sooner, or subscribe to less.',
  queued_bytes:
    'Messages of too many bytes waited for a session, and the oldest were dropped. Connect more often, acknowledge sooner, or subscribe to less.',
  queued_bytes_of_all:
    'Messages for all devices of this server waited with too many bytes, and the oldest of this device were dropped. Acknowledge sooner.',
  uncommitted_messages:
    'The device had sent too many messages that were not stored yet, and was not read until some were. Send fewer messages with more values.',
  uncommitted_bytes:
    'The device had sent too many bytes that were not stored yet, and was not read until some were. Send less, or more slowly.',
  uncommitted_messages_of_all:
    'The devices of this server had sent more messages than it could store, and were not read until some were. Look at the database.',
  uncommitted_bytes_of_all:
    'The devices of this server had sent more bytes than it could store, and were not read until some were. Look at the database.',
  partial_bytes_of_all:
    'The server held too many bytes of incomplete packets, and ended this connection. Send packets in one piece.',
  packets_per_second:
    'The device sent more packets than its rate. Put several values into a message, or send more slowly.',
  bytes_per_second: 'The device sent more bytes than its rate. Send fewer bytes, or more slowly.',
  connections_per_address:
    'A connection was refused because its network address has too many. Use more addresses, or raise GANGWAY_MQTT_CONNECTIONS_PER_ADDRESS.',
} as const

export type LimitName = keyof typeof limitAdvice

/** `delayed`: the device was not read for some time; nothing was lost. */
export const limitOutcomes = ['delayed', 'dropped', 'refused'] as const
export type LimitOutcome = (typeof limitOutcomes)[number]
