/** Properties of MQTT 5 that are wrong, and those that go on with a message. [MQTT 5.0, 2.2.2 and 3.3.2.3] */
import { expect } from 'vitest'
import type { Properties } from '../wire/properties.ts'
import {
  connect,
  disconnect,
  kept,
  MALFORMED,
  message,
  NO_LOCAL,
  PROTOCOL_ERROR,
  puback,
  publish,
  publish1,
  pubrel,
  pubrec,
  suback,
  subscribe,
  unsubscribe,
} from './packets.ts'
import { a, b, elsewhere, sequence } from './sequence.ts'

const inConnect: [what: string, properties: Properties, codes?: number[]][] = [
  [
    'a session expiry interval twice',
    [
      ['sessionExpiryInterval', 1],
      ['sessionExpiryInterval', 1],
    ],
  ],
  ['a receive maximum of 0', [['receiveMaximum', 0]]],
  [
    'a receive maximum twice',
    [
      ['receiveMaximum', 1],
      ['receiveMaximum', 1],
    ],
  ],
  ['a maximum packet size of 0', [['maximumPacketSize', 0]]],
  [
    'a maximum packet size twice',
    [
      ['maximumPacketSize', 100],
      ['maximumPacketSize', 100],
    ],
  ],
  [
    'a topic alias maximum twice',
    [
      ['topicAliasMaximum', 0],
      ['topicAliasMaximum', 0],
    ],
  ],
  ['request problem information 2', [['requestProblemInformation', 2]]],
  ['request response information 2', [['requestResponseInformation', 2]]],
  [
    'request response information twice',
    [
      ['requestResponseInformation', 0],
      ['requestResponseInformation', 0],
    ],
  ],
  ['a topic alias', [['topicAlias', 1]]],
  ['a payload format', [['payloadFormatIndicator', 1]]],
  ['a will delay outside of the will', [['willDelayInterval', 1]]],
  ['a server keep-alive', [['serverKeepAlive', 1]]],
  ['a subscription identifier', [['subscriptionIdentifier', 1]]],
  ['an ill-formed user property', [['userProperty', [Buffer.of(0xff), 'b']]]],
  ['a user property with U+0000', [['userProperty', ['a', '\0']]]],
  [
    'an authentication method twice',
    [
      ['authenticationMethod', 'a'],
      ['authenticationMethod', 'a'],
    ],
    [0x8c],
  ],
  ['authentication data without a method', [['authenticationData', 'a']]],
]

const inPublish: [what: string, properties: Properties, codes?: number[], statements?: string][] = [
  ['a payload format of 2', [['payloadFormatIndicator', 2]], [0x99]],
  [
    'a payload format twice',
    [
      ['payloadFormatIndicator', 0],
      ['payloadFormatIndicator', 0],
    ],
  ],
  [
    'a message expiry twice',
    [
      ['messageExpiryInterval', 1],
      ['messageExpiryInterval', 1],
    ],
  ],
  [
    'a topic alias twice',
    [
      ['topicAlias', 1],
      ['topicAlias', 1],
    ],
  ],
  ['the topic alias 0', [['topicAlias', 0]], [0x94], '3.3.2-8'],
  ['the topic alias 17', [['topicAlias', 17]], [0x94], '3.3.2-9 3.2.2-17'],
  [
    'a response topic twice',
    [
      ['responseTopic', 'a'],
      ['responseTopic', 'a'],
    ],
  ],
  ['a response topic with a wildcard', [['responseTopic', 'a/#']], [0x90], '3.3.2-14'],
  ['an ill-formed response topic', [['responseTopic', Buffer.of(0xff)]], [], '3.3.2-13'],
  [
    'correlation data twice',
    [
      ['correlationData', 'a'],
      ['correlationData', 'a'],
    ],
  ],
  [
    'a content type twice',
    [
      ['contentType', 'a'],
      ['contentType', 'a'],
    ],
  ],
  ['an ill-formed content type', [['contentType', Buffer.of(0xed, 0xa0, 0x80)]], [], '3.3.2-19'],
  ['an ill-formed user property', [['userProperty', ['a', Buffer.of(0xff)]]], [], '1.5.7-1'],
  ['a subscription identifier', [['subscriptionIdentifier', 1]], [], '3.3.4-6'],
  ['a session expiry interval', [['sessionExpiryInterval', 1]]],
  ['a reason string', [['reasonString', 'a']]],
]

const inOthers: [what: string, packet: Parameters<typeof a.sends>[0], codes?: number[]][] = [
  [
    'SUBSCRIBE with the subscription identifier 0',
    { ...subscribe(1, ['note', 0]), properties: [['subscriptionIdentifier', 0]] },
  ],
  [
    'SUBSCRIBE with two subscription identifiers',
    {
      ...subscribe(1, ['note', 0]),
      properties: [
        ['subscriptionIdentifier', 1],
        ['subscriptionIdentifier', 2],
      ],
    },
  ],
  ['SUBSCRIBE with a topic alias', { ...subscribe(1, ['note', 0]), properties: [['topicAlias', 1]] }],
  [
    'UNSUBSCRIBE with a subscription identifier',
    { ...unsubscribe(1, 'note'), properties: [['subscriptionIdentifier', 1]] },
  ],
  ['PUBACK with an unknown reason code', puback(1, { code: 0x42 })],
  [
    'PUBACK with two reason strings',
    puback(1, {
      code: 0,
      properties: [
        ['reasonString', 'a'],
        ['reasonString', 'a'],
      ],
    }),
  ],
  ['PUBACK with a topic alias', puback(1, { code: 0, properties: [['topicAlias', 1]] })],
  ['PUBREC with an unknown reason code', pubrec(1, { code: 0x92 })],
  ['PUBREL with an unknown reason code', pubrel(1, { code: 0x80 })],
  ['PUBREL with bytes after its properties', { ...pubrel(1, { code: 0, properties: [] }), tail: [0] }],
  ['DISCONNECT with an unknown reason code', disconnect({ code: 0x42 })],
  ['DISCONNECT with a topic alias', disconnect({ code: 0, properties: [['topicAlias', 1]] })],
  [
    'DISCONNECT with two session expiry intervals',
    disconnect({
      code: 0,
      properties: [
        ['sessionExpiryInterval', 0],
        ['sessionExpiryInterval', 0],
      ],
    }),
  ],
  [
    'DISCONNECT with a session expiry interval where there was none',
    disconnect({ code: 0, properties: [['sessionExpiryInterval', 60]] }),
  ],
]

const forwarded: Properties = [
  ['payloadFormatIndicator', 1],
  ['contentType', 'text/plain; charset=utf-8'],
  ['responseTopic', 'anywhere/else'],
  ['correlationData', Buffer.of(0, 1, 0xff)],
  ['userProperty', ['z', '1']],
  ['userProperty', ['a', '2']],
  ['userProperty', ['z', '']],
  ['userProperty', ['', '\uFEFF']],
  ['userProperty', ['7', 'a number']],
  ['userProperty', ['3', 'another']],
  ['userProperty', ['__proto__', 'x']],
]

export const propertySequences = [
  ...inConnect.map(([what, properties, codes = []]) =>
    sequence(`CONNECT with ${what} is refused`, { in5: '3.1.4-1' }, [
      a.opens(),
      a.sends(connect({ properties })),
      a.isRefused(undefined, MALFORMED, PROTOCOL_ERROR, ...codes),
    ]),
  ),
  ...inPublish.map(([what, properties, codes = [], statements = '4.13.1-1']) =>
    sequence(`PUBLISH with ${what} ends the connection`, { in5: statements }, [
      a.connects(),
      a.sends(publish('note', '', { properties })),
      a.isEnded(MALFORMED, PROTOCOL_ERROR, ...codes),
    ]),
  ),
  ...inOthers.map(([what, packet, codes = []]) =>
    sequence(`${what} ends the connection`, { in5: '4.13.1-1' }, [
      a.connects(),
      a.sends(packet),
      a.isEnded(MALFORMED, PROTOCOL_ERROR, ...codes),
    ]),
  ),
  sequence('a malformed packet leaves other connections alone', { in5: '' }, [
    b.connects(),
    a.connects(),
    a.sends(puback(1, { code: 0x42 })),
    a.isEnded(MALFORMED),
    b.sends(subscribe(1, ['note', 1])),
    b.gets(suback(1, 1)),
  ]),
  sequence('an unknown property is malformed', { in5: '4.13.1-1' }, [
    a.connects(),
    a.writes(0x30, 6, 0, 1, 0x61, 2, 0x7f, 0),
    a.isEnded(MALFORMED),
    b.connects(),
    b.writes(0x30, 6, 0, 1, 0x61, 2, 0x00, 0),
    b.isEnded(MALFORMED),
  ]),
  sequence(
    'properties that are longer than their length, or than the packet, are malformed',
    { in5: '4.13.1-1' },
    [
      a.connects(),
      a.writes(0x30, 6, 0, 1, 0x61, 1, 0x01, 0),
      a.isEnded(MALFORMED),
      b.connects(),
      b.writes(0x30, 4, 0, 1, 0x61, 9),
      b.isEnded(MALFORMED),
    ],
  ),
  sequence('the length of properties has no more bytes than it needs', { in5: '1.5.5-1' }, [
    a.connects(),
    a.writes(0x30, 5, 0, 1, 0x61, 0x80, 0),
    a.isEnded(MALFORMED),
  ]),
  sequence('a PUBLISH without the length of its properties is malformed', { in5: '2.2.2-1' }, [
    a.connects(),
    a.writes(0x30, 3, 0, 1, 0x61),
    a.isEnded(MALFORMED),
  ]),
  sequence(
    'the properties of a message are passed on unaltered, user properties in their order',
    { in5: '3.3.2-4 3.3.2-15 3.3.2-16 3.3.2-17 3.3.2-18 3.3.2-20 1.5.4-3' },
    [
      b.connects(),
      b.sends(subscribe(1, ['note', 1])),
      b.gets(suback(1, 1)),
      a.connects(),
      a.sends(publish1(1, 'note', 'hello', { properties: forwarded })),
      a.gets(puback(1)),
      b.gets(message('note', 'hello', { properties: forwarded })),
    ],
  ),
  sequence('a kept session passes them on later', { in5: '3.3.2-17 3.3.2-18' }, [
    b.connects(kept),
    b.sends(subscribe(1, ['note', 1])),
    b.gets(suback(1, 1)),
    b.leaves(),
    a.connects(),
    a.sends(publish1(1, 'note', 'hello', { properties: forwarded })),
    a.gets(puback(1)),
    b.connects(kept, { sessionPresent: true }),
    b.gets(message('note', 'hello', { properties: forwarded })),
  ]),
  sequence('a message has the identifiers of all its subscriptions', { in5: '3.3.4-3 3.3.4-4' }, [
    b.connects(),
    b.sends(
      { ...subscribe(1, ['note/#', 0]), properties: [['subscriptionIdentifier', 268_435_455]] },
      { ...subscribe(2, ['note/+', 1]), properties: [['subscriptionIdentifier', 7]] },
      subscribe(3, ['note/a', 0]),
    ),
    b.gets(suback(1, 0), suback(2, 1), suback(3, 0)),
    a.connects(),
    a.sends(publish1(1, 'note/b/c', 'one'), publish1(2, 'note/b', 'two')),
    a.gets(puback(1), puback(2)),
    b.gets(
      message('note/b/c', 'one', { qos: 0, properties: [['subscriptionIdentifier', 268_435_455]] }),
      message('note/b', 'two', {
        qos: 1,
        properties: expect.arrayContaining([
          ['subscriptionIdentifier', 268_435_455],
          ['subscriptionIdentifier', 7],
        ]) as unknown,
      }),
    ),
    // A subscription that is replaced has its new identifier, or none.
    b.sends(subscribe(4, ['note/#', 0], ['note/+', 0])),
    b.gets(suback(4, 0, 0)),
    a.sends(publish('note/b', 'three')),
    b.gets(message('note/b', 'three', { properties: [] })),
  ]),
  sequence('a retained message has the identifier of the subscription that caused it', { in5: '3.3.4-3' }, [
    a.connects(),
    a.sends(publish1(1, 'note', 'kept', { retain: true })),
    a.gets(puback(1)),
    b.connects(),
    b.sends({ ...subscribe(1, ['note', 0]), properties: [['subscriptionIdentifier', 3]] }),
    b.getsInAnyOrder(suback(1, 0), message('note', 'kept', { properties: [['subscriptionIdentifier', 3]] })),
  ]),
  sequence('with no-local a session does not get what it published', { in5: '3.8.3-3' }, [
    a.connects(),
    a.sends(subscribe(1, ['note', NO_LOCAL])),
    a.gets(suback(1, 0)),
    b.connects(),
    b.sends(subscribe(1, ['note', 0])),
    b.gets(suback(1, 0)),
    a.sends(publish('note', 'of a')),
    b.gets(message('note', 'of a')),
    b.sends(publish('note', 'of b')),
    a.gets(message('note', 'of b')),
    b.gets(message('note', 'of b')),
    a.getsNothing(),
  ]),
  sequence('without no-local it does', { in5: '3.8.3-3' }, [
    a.connects(),
    a.sends(subscribe(1, ['note', 0])),
    a.gets(suback(1, 0)),
    a.sends(publish('note', 'of a')),
    a.gets(message('note', 'of a')),
  ]),
  sequence('topic aliases up to 16 stand for their topics', { in5: '3.3.2-12 3.2.2-17' }, [
    b.connects(),
    b.sends(subscribe(1, ['note/#', 0])),
    b.gets(suback(1, 0)),
    a.connects(),
    a.sends(
      publish('note/a', '1', { properties: [['topicAlias', 1]] }),
      publish('note/b', '2', { properties: [['topicAlias', 16]] }),
      publish(elsewhere(''), '3', { properties: [['topicAlias', 1]] }),
      publish('note/c', '4', { properties: [['topicAlias', 1]] }),
      publish(elsewhere(''), '5', { properties: [['topicAlias', 16]] }),
      publish(elsewhere(''), '6', { properties: [['topicAlias', 1]] }),
    ),
    b.gets(
      message('note/a', '1', { properties: [] }),
      message('note/b', '2'),
      message('note/a', '3'),
      message('note/c', '4'),
      message('note/b', '5'),
      message('note/c', '6'),
    ),
  ]),
  sequence('a topic alias with QoS 1 and telemetry', { in5: '3.3.2-12' }, [
    a.connects(),
    a.sends(
      publish1(1, 'telemetry', '{"t": 1}', { properties: [['topicAlias', 2]] }),
      publish1(2, elsewhere(''), '{"t": 2}', { properties: [['topicAlias', 2]] }),
    ),
    a.gets(puback(1, { code: 0 }), puback(2, { code: 0 })),
  ]),
  sequence('an unknown topic alias is a protocol error', { in5: '3.3.2-12' }, [
    a.connects(),
    a.sends(publish(elsewhere(''), '', { properties: [['topicAlias', 3]] })),
    a.isEnded(PROTOCOL_ERROR, 0x94),
  ]),
  sequence('a topic alias ends with its connection', { in5: '3.3.2-7' }, [
    a.connects(kept),
    a.sends(publish1(1, 'note', '', { properties: [['topicAlias', 1]] })),
    a.gets({ type: 'puback', id: 1 }),
    a.leaves(),
    a.connects(kept, { sessionPresent: true }),
    a.sends(publish(elsewhere(''), '', { properties: [['topicAlias', 1]] })),
    a.isEnded(PROTOCOL_ERROR, 0x94),
  ]),
  sequence('a topic alias does not help to a topic of another device', { in5: '4.13.2-1' }, [
    a.connects(),
    a.sends(publish(elsewhere('devices/other/note'), '', { properties: [['topicAlias', 1]] })),
    a.isEnded(0x87),
  ]),
  sequence('a client with a topic alias maximum gets the right topics', { in5: '3.1.2-26 3.3.2-11' }, [
    b.connects({ properties: [['topicAliasMaximum', 2]] }),
    b.sends(subscribe(1, ['note/#', 1])),
    b.gets(suback(1, 1)),
    a.connects(),
    ...['a', 'b', 'c', 'a', 'b', 'c', 'd', 'a'].flatMap((topic, index) => [
      a.sends(publish1(index + 1, `note/${topic}`, `${index}`)),
      a.gets(puback(index + 1)),
      b.gets(message(`note/${topic}`, `${index}`)),
    ]),
  ]),
  sequence('a client without a topic alias maximum gets no topic aliases', { in5: '3.1.2-27' }, [
    b.connects(),
    b.sends(subscribe(1, ['note/#', 1])),
    b.gets(suback(1, 1)),
    a.connects(),
    ...['a', 'a', 'a'].flatMap((topic, index) => [
      a.sends(publish1(index + 1, `note/${topic}`, `${index}`)),
      a.gets(puback(index + 1)),
      b.gets(message(`note/${topic}`, `${index}`, { properties: [] })),
    ]),
  ]),
  sequence('a request and its response', { in5: '3.3.2-15 3.3.2-16' }, [
    a.connects(),
    a.sends(subscribe(1, ['answers', 1])),
    a.gets(suback(1, 1)),
    b.connects(),
    b.sends(subscribe(1, ['questions', 1])),
    b.gets(suback(1, 1)),
    a.sends(
      publish('questions', 'why?', {
        properties: [
          ['responseTopic', 'answers'],
          ['correlationData', '42'],
        ],
      }),
    ),
    b.gets(
      message('questions', 'why?', {
        properties: [
          ['responseTopic', 'answers'],
          ['correlationData', Buffer.from('42')],
        ],
      }),
    ),
    b.sends(publish('answers', 'because', { properties: [['correlationData', '42']] })),
    a.gets(message('answers', 'because', { properties: [['correlationData', Buffer.from('42')]] })),
  ]),
  sequence('an authentication method is refused', { in5: '4.12.0-1 3.2.2-7' }, [
    a.opens(),
    a.sends(connect({ properties: [['authenticationMethod', 'SCRAM-SHA-256']] })),
    a.isRefused(undefined, 0x8c),
  ]),
  sequence('AUTH is a protocol error', { in5: '4.12.0-7' }, [
    a.connects(),
    a.sends({ type: 'auth', code: 0x19, properties: [['authenticationMethod', 'SCRAM-SHA-256']] }),
    a.isEnded(PROTOCOL_ERROR, 0x8c),
  ]),
  sequence('AUTH before CONNECT ends the connection', { in5: '3.1.0-1' }, [
    a.opens(),
    a.sends({ type: 'auth', code: 0x18 }),
    a.isClosed(),
  ]),
  sequence('AUTH with flags is malformed', { in5: '3.15.1-1' }, [
    a.connects(),
    a.sends({ type: 'auth', code: 0x18, first: 0xf1 }),
    a.isEnded(MALFORMED, PROTOCOL_ERROR),
  ]),
]
