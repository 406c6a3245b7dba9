/** Properties of MQTT 5 that go on with a message, subscription identifiers, and topic aliases. [MQTT 5.0, 3.3.2.3] */
import { expect } from 'vitest'
import type { Properties } from '../wire/properties.ts'
import {
  kept,
  message,
  NO_LOCAL,
  PROTOCOL_ERROR,
  puback,
  publish,
  publish1,
  suback,
  subscribe,
} from './packets.ts'
import { a, b, elsewhere, sequence } from './sequence.ts'

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
]
