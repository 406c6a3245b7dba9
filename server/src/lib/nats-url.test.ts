import { expect, test } from 'vitest'
import { parseNatsUrl } from './nats-url.ts'

test.each([
  ['nats://127.0.0.1', { addresses: ['127.0.0.1'], isTls: false }],
  ['tls://nats.example.com:4223/', { addresses: ['nats.example.com:4223'], isTls: true }],
  ['nats://[::1]:4222', { addresses: ['[::1]:4222'], isTls: false }],
  ['nats://me:p%40ss@a:1', { addresses: ['a:1'], isTls: false, user: 'me', password: 'p@ss' }],
  ['nats://secret@a:1', { addresses: ['a:1'], isTls: false, token: 'secret' }],
  [
    'nats://me:x@a:1, nats://me:x@b:2',
    { addresses: ['a:1', 'b:2'], isTls: false, user: 'me', password: 'x' },
  ],
])('%s', (value, expected) => expect(parseNatsUrl(value)).toEqual(expected))

test.each([
  ['', 'must be a URL'],
  [',', 'must be a URL'],
  ['127.0.0.1:4222', 'must be a URL'],
  ['http://a', 'must be a URL'],
  ['ws://a', 'must be a URL'],
  ['nats://', 'must be a URL'],
  ['nats://a:99999', 'must be a URL'],
  ['nats://a/path', 'must end with the port'],
  ['nats://a?tls=true', 'must end with the port'],
  ['nats://a,tls://b', 'the same protocol, user and password'],
  ['nats://me:x@a,nats://me:y@b', 'the same protocol, user and password'],
])('%s is refused', (value, problem) => expect(() => parseNatsUrl(value)).toThrow(problem))

test('the refusal does not repeat a password', () =>
  expect(() => parseNatsUrl('http://me:hidden@a')).toThrow(/^((?!hidden).)*$/))
