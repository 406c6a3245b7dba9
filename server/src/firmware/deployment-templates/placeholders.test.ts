import { expect, test } from 'vitest'
import { findPlaceholderIssues, listPlaceholders, measureRendered, render } from './placeholders.ts'

const values = new Map<string, unknown>([
  ['fileUrl', 'https://example.com/{{releaseName}}'],
  ['slot', 2],
  ['flags', { force: true }],
])

test.each([
  ['{{slot}}', 2],
  ['{{ flags }}', { force: true }],
  ['slot {{slot}}', 'slot 2'],
  ['{{slot}}{{slot}}', '22'],
  ['with {{flags}}', 'with {"force":true}'],
  ['{{fileUrl}}', 'https://example.com/{{releaseName}}'],
  [
    { a: ['{{slot}}', 1, null], b: true },
    { a: [2, 1, null], b: true },
  ],
  ['no placeholder', 'no placeholder'],
])('%j becomes %j', (template, rendered) => {
  expect(render(template, values)).toEqual(rendered)
})

test.each([
  ['slot {{slot}}', 6],
  ['{{ flags }}', 14],
  [{ a: ['{{slot}}', 1], b: '{{slot}}{{slot}}' }, 3],
  ['{{unknown}}', 0],
])('%j has %s characters', (template, length) => {
  expect(measureRendered(template, values)).toBe(length)
})

test('a value that would be far too long is measured without being made', () => {
  const long = new Map([['a', Array.from({ length: 30_000 }, () => 1)]])
  expect(measureRendered('{{a}}'.repeat(13_000), long)).toBe(13_000 * 60_001)
})

test('a key named __proto__ is treated like any other key', () => {
  const rendered = render(JSON.parse('{"__proto__": {"slot": "{{slot}}"}}'), values) as object
  expect(Object.keys(rendered)).toEqual(['__proto__'])
  expect(({} as Record<string, unknown>).slot).toBeUndefined()
})

test('names are found at any depth, without duplicates', () => {
  expect(listPlaceholders({ a: '{{x}} and {{ y }}', b: ['{{x}}', 1] })).toEqual(['x', 'y'])
})

test.each([
  ['{{slot', 'value'],
  [{ a: ['{{slot} }'] }, 'value.a.0'],
  [{ '{{slot}}': 1 }, 'value'],
])('%j cannot be filled in', (template, path) => {
  expect(findPlaceholderIssues(template, 'value')).toMatchObject([{ path }])
})
