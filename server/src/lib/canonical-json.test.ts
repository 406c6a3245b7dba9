import { expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

test.each([
  ['{"a": 1, "b": {"d": [1], "c": null}}', '{"b": {"c": null, "d": [1]}, "a": 1}', true],
  ['[{"b": 1, "a": 2}]', '[{"a": 2, "b": 1}]', true],
  ['{"__proto__": 1, "a": 2}', '{"a": 2, "__proto__": 1}', true],
  ['{"__proto__": 1}', '{}', false],
  ['[1, 2]', '[2, 1]', false],
  ['["1"]', '[1]', false],
  ['{"0": 1}', '[1]', false],
])('%s and %s', (one, other, areEqual) => {
  expect(canonicalJson(JSON.parse(one)) === canonicalJson(JSON.parse(other))).toBe(areEqual)
})
