/** Properties of MQTT 5 that end the connection. [MQTT 5.0, 2.2.2 and 4.12] */
import type { Properties } from '../wire/properties.ts'
import {
  connect,
  disconnect,
  MALFORMED,
  PROTOCOL_ERROR,
  puback,
  publish,
  pubrel,
  pubrec,
  suback,
  subscribe,
  unsubscribe,
} from './packets.ts'
import { a, b, sequence } from './sequence.ts'

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

export const wrongPropertySequences = [
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
