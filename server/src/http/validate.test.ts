import Type from 'typebox'
import { expect, test } from 'vitest'
import { strictValidator } from './validate.ts'

const issuesOf = (check: () => unknown) => {
  try {
    check()
  } catch (error) {
    return (error as { details: { issues: object[] } }).details.issues
  }
  return []
}

test('a long list of equal items, which must differ, is refused at once', () => {
  const names = Type.Array(Type.Enum(['a', 'b']), { maxItems: 2, uniqueItems: true })
  const validate = strictValidator(Type.Object({ list: Type.Object({ names }) }), 'body')
  const startMs = performance.now()
  const issues = issuesOf(() => validate({ list: { names: Array.from({ length: 100_000 }, () => 'a') } }))
  expect(performance.now() - startMs).toBeLessThan(1000)
  expect(issues).toEqual([
    { path: 'list.names', message: 'must not have more than 2 items' },
    { path: 'list.names', message: 'must not have duplicate items' },
  ])
})

test('an item far down in a list is named', () => {
  const validate = strictValidator(Type.Object({ names: Type.Array(Type.String()) }), 'body')
  const names: unknown[] = Array.from({ length: 9000 }, () => 'a')
  names[8000] = 1
  expect(issuesOf(() => validate({ names }))).toEqual([
    { path: 'names.8000', message: 'must be a string; this is 1' },
  ])
})
