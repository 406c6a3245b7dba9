/** CONNECT and CONNACK. [MQTT 3.1.1, 3.1 and 3.2; MQTT 5.0, 3.1 and 3.2] */
import { expect } from 'vitest'
import {
  connect,
  disconnect,
  kept,
  MALFORMED,
  message,
  pingreq,
  pingresp,
  PROTOCOL_ERROR,
  puback,
  publish,
  publish1,
  suback,
  subscribe,
} from './packets.ts'
import { a, b, c, sequence } from './sequence.ts'

const USER_NAME = 0x80
const PASSWORD = 0x40
const WILL_RETAIN = 0x20
const WILL_QOS_1 = 0x08
const CLEAN = 0x02
const SIGNED_IN = USER_NAME | PASSWORD | CLEAN

export const connectSequences = [
  sequence(
    'CONNECT is answered with CONNACK',
    {
      in3: '3.1.4-3 3.1.4-4 3.2.0-1 3.2.2-1 3.1.3-1 3.1.3-3 3.1.2-19 3.1.2-21 7.1.1-1',
      in5: '3.1.4-4 3.1.4-5 3.2.0-1 3.2.0-2 3.2.2-1 3.2.2-2 3.2.2-8 3.1.3-1 3.1.3-3 3.1.2-17 3.1.2-19 2.2.2-1 4.2-1 4.12.0-6',
    },
    [a.connects(), a.getsNothing()],
  ),
  sequence('the limits of the server are in CONNACK', { in5: '3.1.2-28' }, [
    a.connects(
      { properties: [['requestResponseInformation', 0]] },
      {
        properties: {
          receiveMaximum: 1000,
          topicAliasMaximum: 16,
          maximumPacketSize: expect.any(Number),
          sharedSubscriptionAvailable: 0,
        },
      },
    ),
  ]),
  sequence('MQTT 3.1 is served', { in3: '' }, [
    a.connects({ level: 3, protocolName: 'MQIsdp' }),
    a.sends(subscribe(1, ['note', 1])),
    a.gets(suback(1, 1)),
    a.sends(publish('note', 'hello')),
    a.gets(message('note', 'hello', { qos: 0 })),
  ]),
  sequence('another packet before CONNECT ends the connection', { in3: '3.1.0-1', in5: '3.1.0-1 3.14.0-1' }, [
    a.opens(),
    a.sends(pingreq),
    a.isClosed(),
    b.opens(),
    b.sends(subscribe(1, ['note', 0])),
    b.isClosed(),
    c.opens(),
    c.sends(publish('note')),
    c.isClosed(),
  ]),
  sequence('a second CONNECT ends the connection', { in3: '3.1.0-2', in5: '3.1.0-2' }, [
    a.connects(),
    a.sends(connect({ clientId: 'a' })),
    a.isEnded(PROTOCOL_ERROR),
  ]),
  sequence('what is sent with CONNECT is processed after it', { in3: '', in5: '' }, [
    a.opens(),
    a.sends(connect(), subscribe(1, ['note', 1]), pingreq),
    a.gets({ type: 'connack', code: 0 }),
    a.getsInAnyOrder(suback(1, 1), pingresp),
  ]),
  sequence('another protocol name is refused', { in3: '3.1.2-1', in5: '3.1.2-1' }, [
    a.opens(),
    a.sends(connect({ protocolName: 'MQTTX' })),
    a.isTurnedAway(1, 0x84, MALFORMED, PROTOCOL_ERROR),
    b.opens(),
    b.sends(connect({ protocolName: 'mqtt' })),
    b.isTurnedAway(1, 0x84, MALFORMED, PROTOCOL_ERROR),
  ]),
  sequence('another protocol level is refused with return code 1', { in3: '3.1.2-2 3.2.2-5' }, [
    a.opens(),
    a.sends(connect({ level: 6 })),
    a.isRefused(1),
    b.opens(),
    b.sends(connect({ level: 2 })),
    b.isRefused(1),
  ]),
  sequence('another protocol version is refused', { in5: '3.1.2-2' }, [
    a.opens(),
    a.sends(connect({ level: 6 })),
    a.isTurnedAway(1, 0x84, 1),
  ]),
  sequence(
    'level 3 with the protocol name MQTT, and level 4 with MQIsdp, are refused',
    { in3: '3.1.2-2 3.1.2-1' },
    [
      a.opens(),
      a.sends(connect({ level: 3 })),
      a.isTurnedAway(1),
      b.opens(),
      b.sends(connect({ protocolName: 'MQIsdp' })),
      b.isTurnedAway(1),
    ],
  ),
  sequence('the flag of a bridge in the protocol level is refused', { in3: '3.1.2-2' }, [
    a.opens(),
    a.sends(connect({ level: 0x84 })),
    a.isTurnedAway(1),
  ]),
  ...[
    [
      'the reserved connect flag',
      { in3: '3.1.2-3', in5: '3.1.2-3' },
      connect({ flags: SIGNED_IN | 1 }),
    ] as const,
    [
      'a will QoS without a will',
      { in3: '3.1.2-11 3.1.2-13', in5: '3.1.2-11' },
      connect({ flags: SIGNED_IN | WILL_QOS_1 }),
    ] as const,
    [
      'will retain without a will',
      { in3: '3.1.2-11 3.1.2-15', in5: '3.1.2-13' },
      connect({ flags: SIGNED_IN | WILL_RETAIN }),
    ] as const,
    [
      'a will with QoS 3',
      { in3: '3.1.2-14', in5: '3.1.2-12' },
      connect({ will: { topic: 'gone', qos: 3 } }),
    ] as const,
    [
      'the will flag without a will',
      { in3: '3.1.2-9', in5: '3.1.2-9' },
      connect({ username: undefined, password: undefined, flags: CLEAN | 0x04 }),
    ] as const,
    [
      'a user name without its flag',
      { in3: '3.1.2-18', in5: '3.1.2-16' },
      connect({ flags: CLEAN }),
    ] as const,
    [
      'the user name flag without a user name',
      { in3: '3.1.2-19', in5: '3.1.2-17' },
      connect({ username: undefined, password: undefined, flags: CLEAN | USER_NAME }),
    ] as const,
    [
      'a password without its flag',
      { in3: '3.1.2-20', in5: '3.1.2-18' },
      connect({ flags: CLEAN | USER_NAME }),
    ] as const,
    [
      'the password flag without a password',
      { in3: '3.1.2-21', in5: '3.1.2-19' },
      connect({ password: undefined, flags: SIGNED_IN }),
    ] as const,
    [
      'the password flag without the user name flag',
      { in3: '3.1.2-22' },
      connect({ username: undefined }),
    ] as const,
    [
      'bytes after the last field',
      { in3: '3.1.4-1 3.2.2-6', in5: '3.1.4-1' },
      connect({ tail: [0] }),
    ] as const,
    [
      'flags in its fixed header',
      { in3: '2.2.2-1 2.2.2-2', in5: '2.1.3-1' },
      connect({ first: 0x11 }),
    ] as const,
    ['a client id with U+0000', { in3: '1.5.3-2', in5: '1.5.4-2' }, connect({ clientId: 'a\0b' })] as const,
    [
      'an ill-formed client id',
      { in3: '1.5.3-1 3.1.3-4', in5: '1.5.4-1 3.1.3-4' },
      connect({ clientId: Buffer.of(0x61, 0xff) }),
    ] as const,
    [
      'a client id with a surrogate',
      { in3: '1.5.3-1', in5: '1.5.4-1' },
      connect({ clientId: Buffer.of(0xed, 0xa0, 0x80) }),
    ] as const,
    [
      'an ill-formed will topic',
      { in3: '3.1.3-10', in5: '3.1.3-11' },
      connect({ will: { topic: Buffer.of(0xc3, 0x28) } }),
    ] as const,
    [
      'a will topic with U+0000',
      { in3: '1.5.3-2', in5: '1.5.4-2' },
      connect({ will: { topic: 'a\0' } }),
    ] as const,
    [
      'an ill-formed user name',
      { in3: '3.1.3-11', in5: '3.1.3-12' },
      connect({ username: Buffer.of(0xc0, 0x80) }),
    ] as const,
  ].map(([what, shows, packet]) =>
    sequence(`a CONNECT with ${what} is refused without a return code`, shows, [
      a.opens(),
      a.sends(packet),
      a.isRefused(undefined, MALFORMED, PROTOCOL_ERROR),
    ]),
  ),
  sequence('a will on a topic with a wildcard is refused', { in3: '4.7.1-1', in5: '4.7.0-1' }, [
    a.opens(),
    a.sends(connect({ will: { topic: 'gone/+' } })),
    a.isTurnedAway(5, MALFORMED, PROTOCOL_ERROR, 0x87, 0x90),
  ]),
  sequence(
    'client ids of 1 to 23 letters and digits are allowed, and longer ones',
    { in3: '3.1.3-5', in5: '3.1.3-5' },
    [
      a.connects({ clientId: '0123456789abcdefghijklm' }),
      b.connects({ clientId: 'nopqrstuvwxyzABCDEFGHIJ' }),
      c.connects({ clientId: 'KLMNOPQRSTUVWXYZ' }),
      a.connects({ clientId: 'ä/💧'.repeat(100) }),
    ],
  ),
  sequence('a byte order mark is a part of a client id', { in3: '1.5.3-3', in5: '1.5.4-3' }, [
    a.connects({ clientId: 'same' }),
    b.connects({ clientId: '\uFEFFsame' }),
    a.getsNothing(),
  ]),
  sequence('an empty client id with a clean session is replaced', { in3: '3.1.3-6' }, [
    a.connects({ clientId: '' }),
    b.connects({ clientId: '' }),
    a.getsNothing(),
    b.getsNothing(),
  ]),
  sequence(
    'an empty client id without a clean session is refused',
    { in3: '3.1.3-7 3.1.3-8 3.1.3-9 3.2.2-4 3.2.2-5' },
    [a.opens(), a.sends(connect({ clientId: '', clean: false })), a.isRefused(2)],
  ),
  sequence(
    'an empty client id is replaced, and CONNACK names the new one',
    { in5: '3.1.3-6 3.1.3-7 3.2.2-16' },
    [
      a.connects({ clientId: '' }, { properties: { assignedClientIdentifier: expect.stringMatching(/./) } }),
      b.connects(
        { ...kept, clientId: '' },
        { properties: { assignedClientIdentifier: expect.stringMatching(/./) } },
      ),
      a.getsNothing(),
    ],
  ),
  sequence(
    'a wrong key is refused, and nothing after it is processed',
    { in3: '3.1.4-5 3.2.2-5', in5: '3.1.4-2 3.1.4-6 3.2.2-6 3.2.2-7 4.13.2-1 3.14.0-1' },
    [
      b.connects(),
      b.sends(subscribe(1, ['note', 0])),
      b.gets(suback(1, 0)),
      a.opens(),
      a.sends(connect({ password: 'wrong' }), publish('note', 'no'), subscribe(2, ['note', 0])),
      a.isRefused(4, 0x86, 0x87),
      b.getsNothing(),
    ],
  ),
  sequence('no user name is refused', { in3: '', in5: '3.1.4-2' }, [
    a.opens(),
    a.sends(connect({ username: undefined, password: undefined })),
    a.isRefused(4, 0x86, 0x87),
  ]),
  sequence('a password without a user name is refused as a wrong one', { in5: '3.1.4-2' }, [
    a.opens(),
    a.sends(connect({ username: undefined })),
    a.isRefused(4, 0x86, 0x87),
  ]),
  sequence('DISCONNECT ends the connection', { in3: '', in5: '3.14.4-2' }, [a.connects(), a.leaves()]),
  sequence('DISCONNECT with flags is malformed', { in3: '3.14.1-1', in5: '3.14.1-1' }, [
    a.connects(),
    a.sends({ ...disconnect(), first: 0xe1 }),
    a.isEnded(MALFORMED),
  ]),
  sequence(
    'the acknowledgement of CONNECT precedes messages of the session',
    { in3: '3.2.0-1', in5: '3.2.0-1' },
    [
      a.connects(kept),
      a.sends(subscribe(1, ['note', 1])),
      a.gets(suback(1, 1)),
      a.leaves(),
      b.connects(),
      b.sends(publish1(1, 'note', 'while away')),
      b.gets(puback(1)),
      a.connects(kept, { sessionPresent: true }),
      a.gets(message('note', 'while away')),
    ],
  ),
]
