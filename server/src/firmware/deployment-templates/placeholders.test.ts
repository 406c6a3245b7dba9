import { expect, test } from 'vitest'
import { placeholderIssues, placeholdersIn, render } from './placeholders.ts'

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

test('a key named __proto__ is a key like any other', () => {
  const rendered = render(JSON.parse('{"__proto__": {"slot": "{{slot}}"}}'), values) as object
  expect(Object.keys(rendered)).toEqual(['__proto__'])
  expect(({} as Record<string, unknown>).slot).toBeUndefined()
})

test('names are found wherever they stand, each once', () => {
  expect(placeholdersIn({ a: '{{x}} and {{ y }}', b: ['{{x}}', 1] })).toEqual(['x', 'y'])
})

test.each([
  ['{{slot', 'value'],
  [{ a: ['{{slot} }'] }, 'value.a.0'],
  [{ '{{slot}}': 1 }, 'value'],
])('%j cannot be filled in', (template, path) => {
  expect(placeholderIssues(template, 'value')).toMatchObject([{ path }])
})
