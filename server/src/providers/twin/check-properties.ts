import { type Issue, validationError } from '../../http/errors.ts'
import type { Properties } from './merge-patch.ts'

/**
 * Refuses properties that are valid JSON but cannot be stored in a twin.
 * @param properties from a validated body: not nested too deeply, and without text that cannot be stored
 * @throws validation_error with the path of each issue
 */
export function checkProperties(properties: Properties): void {
  const issues = [...findIssues(properties, '')]
  if (issues.length > 0) throw validationError(...issues.slice(0, MAX_ISSUES))
}

const MAX_ISSUES = 20

function* findIssues(value: unknown, path: string): Generator<Issue> {
  // JSON.parse reads 1e999 as Infinity, which JSON cannot represent.
  if (typeof value === 'number' && !Number.isFinite(value))
    yield { path, message: 'is a number that is too large' }
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    if (key.startsWith('$'))
      yield { path: within(path, key), message: 'has a reserved name: it starts with $' }
    else yield* findIssues(child, within(path, key))
  }
}

const within = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)
