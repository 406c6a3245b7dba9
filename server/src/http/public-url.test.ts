import { expect, test } from 'vitest'
import { publicUrl } from './public-url.ts'

const config = (url?: string) => ({ publicUrl: url }) as Parameters<typeof publicUrl>[0]['config']

test('links begin with the configured address, or with the one that the server listens at', () => {
  const endpoints = { http: 'http://127.0.0.1:8080' }
  expect(publicUrl({ config: config('https://iot.example.com'), endpoints })).toBe('https://iot.example.com')
  expect(publicUrl({ config: config(), endpoints })).toBe('http://127.0.0.1:8080')
})

test('no link is made before the server listens: a device would take a path without a host for a wrong order', () => {
  expect(() => publicUrl({ config: config(), endpoints: {} })).toThrow('does not listen')
})
