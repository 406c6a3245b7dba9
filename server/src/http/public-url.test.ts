import { expect, test } from 'vitest'
import { publicUrl } from './public-url.ts'

const config = (url?: string) => ({ publicUrl: url }) as Parameters<typeof publicUrl>[0]['config']

test('links start with the configured address, or with the one at which the server listens', () => {
  const endpoints = { http: 'http://127.0.0.1:8080' }
  expect(publicUrl({ config: config('https://iot.example.com'), endpoints })).toBe('https://iot.example.com')
  expect(publicUrl({ config: config(), endpoints })).toBe('http://127.0.0.1:8080')
})

test('no link is made before the server listens, since a device would reject a path without a host', () => {
  expect(() => publicUrl({ config: config(), endpoints: {} })).toThrow('does not listen')
})
