/** Wills. [MQTT 3.1.1, 3.1.2.5; MQTT 5.0, 3.1.2.5 and 3.1.3.2] */
import {
  connect,
  disconnect,
  kept,
  MALFORMED,
  message,
  pingreq,
  PROTOCOL_ERROR,
  publish,
  suback,
  subscribe,
} from './packets.ts'
import { a, b, c, elsewhere, sequence } from './sequence.ts'

const will = { topic: 'gone', payload: 'a is gone' }
const wait = (connection: typeof b, qos = 2) => [
  connection.connects(),
  connection.sends(subscribe(1, ['gone', qos])),
  connection.gets(suback(1, qos)),
]

export const willSequences = [
  sequence(
    'a broken connection publishes the will',
    { in3: '3.1.2-8 3.1.2-9 3.1.2-10 3.1.2-16', in5: '3.1.2-7 3.1.2-8 3.1.2-9 3.1.2-10 3.1.2-14' },
    [
      ...wait(b),
      a.connects({ will }),
      a.drops(),
      b.gets(message('gone', 'a is gone', { qos: 0, retain: false })),
      // Published once: the next connection and its orderly end publish nothing.
      a.connects(),
      a.leaves(),
      b.getsNothing(),
    ],
  ),
  sequence('DISCONNECT discards the will', { in3: '3.1.2-10 3.14.4-3', in5: '3.1.2-10 3.14.4-3' }, [
    ...wait(b),
    a.connects({ will }),
    a.leaves(),
    // Without a will nothing is published either.
    a.connects(),
    a.drops(),
    c.connects(),
    c.sends(publish('gone', 'the first message')),
    b.gets(message('gone', 'the first message')),
    b.getsNothing(),
  ]),
  sequence('without a will nothing is published', { in3: '3.1.2-12', in5: '' }, [
    ...wait(b),
    a.connects(),
    a.drops(),
    c.connects(),
    c.sends(publish('gone', 'the first message')),
    b.gets(message('gone', 'the first message')),
    b.getsNothing(),
  ]),
  sequence('DISCONNECT with reason code 0x04 publishes the will', { in5: '3.1.2-8' }, [
    ...wait(b),
    a.connects({ will }),
    a.leaves(0x04),
    b.gets(message('gone', 'a is gone')),
  ]),
  sequence(
    'a violation of the protocol publishes the will',
    { in3: '3.1.2-8 4.8.0-1', in5: '3.1.2-8 4.13.1-1' },
    [
      ...wait(b),
      a.connects({ will }),
      a.sends({ ...pingreq, first: 0xc1 }),
      a.isEnded(MALFORMED),
      b.gets(message('gone', 'a is gone')),
    ],
  ),
  sequence('a wrong DISCONNECT publishes the will', { in3: '3.14.1-1', in5: '3.14.1-1' }, [
    ...wait(b),
    a.connects({ will }),
    a.sends({ ...disconnect(), first: 0xe8 }),
    a.isEnded(MALFORMED),
    b.gets(message('gone', 'a is gone')),
  ]),
  sequence('a connection that another takes over publishes its will', { in3: '3.1.2-8', in5: '3.1.2-8' }, [
    ...wait(b),
    a.connects({ will }),
    c.connects({ clientId: 'a' }),
    a.isEnded(0x8e),
    b.gets(message('gone', 'a is gone')),
  ]),
  ...[0, 1, 2].map((qos) =>
    sequence(`a will with QoS ${qos} arrives with it`, { in3: '3.1.2-14', in5: '3.1.2-12' }, [
      ...wait(b),
      a.connects({ will: { ...will, qos } }),
      a.drops(),
      b.gets(message('gone', 'a is gone', { qos, dup: false })),
    ]),
  ),
  sequence('a will without payload arrives', { in3: '', in5: '' }, [
    ...wait(b),
    a.connects({ will: { topic: 'gone' } }),
    a.drops(),
    b.gets(message('gone', '')),
  ]),
  sequence('a retained will is a retained message', { in3: '3.1.2-17', in5: '3.1.2-15' }, [
    ...wait(b),
    a.connects({ will: { ...will, qos: 1, retain: true } }),
    a.drops(),
    b.gets(message('gone', 'a is gone', { retain: false })),
    c.connects(),
    c.sends(subscribe(2, ['gone', 1])),
    c.getsInAnyOrder(suback(2, 1), message('gone', 'a is gone', { retain: true, qos: 1 })),
  ]),
  sequence('a will without will retain is not retained', { in3: '3.1.2-16', in5: '3.1.2-14' }, [
    ...wait(b),
    a.connects({ will }),
    a.drops(),
    b.gets(message('gone', 'a is gone')),
    c.connects(),
    c.sends(subscribe(2, ['gone', 1])),
    c.gets(suback(2, 1)),
    c.getsNothing(),
  ]),
  sequence('a will outside of the topics of the device is refused', { in3: '3.2.2-5', in5: '3.1.4-2' }, [
    a.opens(),
    a.sends(connect({ will: { topic: elsewhere('devices/other/gone') } })),
    a.isRefused(5, 0x87),
    b.opens(),
    b.sends(connect({ will: { topic: elsewhere('$SYS/gone') } })),
    b.isRefused(5, 0x87),
  ]),
  sequence('a will keeps its properties, and the order of its user properties', { in5: '3.1.3-10' }, [
    ...wait(b),
    a.connects({
      will: {
        ...will,
        properties: [
          ['payloadFormatIndicator', 1],
          ['contentType', 'text/plain'],
          ['responseTopic', 'back'],
          ['correlationData', Buffer.of(0, 255)],
          ['userProperty', ['z', '1']],
          ['userProperty', ['a', '2']],
          ['userProperty', ['z', '3']],
          ['userProperty', ['1', '4']],
        ],
      },
    }),
    a.drops(),
    b.gets(
      message('gone', 'a is gone', {
        properties: [
          ['payloadFormatIndicator', 1],
          ['contentType', 'text/plain'],
          ['responseTopic', 'back'],
          ['correlationData', Buffer.of(0, 255)],
          ['userProperty', ['z', '1']],
          ['userProperty', ['a', '2']],
          ['userProperty', ['z', '3']],
          ['userProperty', ['1', '4']],
        ],
      }),
    ),
  ]),
  sequence('a will with a delay and no session is published at once', { in5: '3.1.2-8' }, [
    ...wait(b),
    a.connects({ will: { ...will, properties: [['willDelayInterval', 3600]] } }),
    a.drops(),
    b.gets(message('gone', 'a is gone')),
  ]),
  sequence('a client that comes back keeps its delayed will from being published', { in5: '3.1.3-9' }, [
    ...wait(b),
    a.connects({ ...kept, will: { ...will, properties: [['willDelayInterval', 3600]] } }),
    a.drops(),
    a.connects(kept, { sessionPresent: true }),
    a.leaves(),
    b.getsNothing(),
  ]),
  sequence(
    'a client that starts clean ends its session: a delayed will is published',
    { in5: '3.1.2-8 3.1.2-4' },
    [
      ...wait(b),
      a.connects({ ...kept, will: { ...will, properties: [['willDelayInterval', 3600]] } }),
      a.drops(),
      a.connects({ clean: true }),
      b.gets(message('gone', 'a is gone')),
    ],
  ),
  sequence(
    'a will reaches the session of its own client, which is kept',
    {
      in3: '4.5.0-1',
      in5: '4.5.0-1',
    },
    [
      a.connects({ ...kept, will: { ...will, qos: 1 } }),
      a.sends(subscribe(1, ['gone', 1])),
      a.gets(suback(1, 1)),
      a.drops(),
      a.waits(100),
      a.connects(kept, { sessionPresent: true }),
      a.gets(message('gone', 'a is gone', { qos: 1 })),
    ],
  ),
  ...(
    [
      [
        'a will delay twice',
        [
          ['willDelayInterval', 1],
          ['willDelayInterval', 1],
        ],
      ],
      [
        'a content type twice',
        [
          ['contentType', 'a'],
          ['contentType', 'a'],
        ],
      ],
      ['a payload format of 2', [['payloadFormatIndicator', 2]]],
      ['a topic alias', [['topicAlias', 1]]],
      ['a receive maximum', [['receiveMaximum', 1]]],
      ['a wildcard in its response topic', [['responseTopic', 'a/+']]],
      ['an ill-formed content type', [['contentType', Buffer.of(0xff)]]],
      ['an ill-formed user property', [['userProperty', ['a', Buffer.of(0xff)]]]],
    ] as const
  ).map(([what, properties]) =>
    sequence(`a will with ${what} is refused`, { in5: '3.1.4-1' }, [
      a.opens(),
      a.sends(connect({ will: { ...will, properties: properties as never } })),
      a.isRefused(undefined, MALFORMED, PROTOCOL_ERROR, 0x99),
    ]),
  ),
]
