import { type Issue, validationError } from '../../http/errors.ts'
import type { Properties } from './merge-patch.ts'

/**
 * Refuses what is JSON and still no property that can be kept.
 * @param properties of a checked body: not nested too deep, and without text that cannot be stored
 * @throws validation_error that names each place
 */
export function refuseUnusable(properties: Properties): void {
  const issues = [...findIssues(properties, '')]
  if (issues.length > 0) throw validationError(...issues.slice(0, MAX_ISSUES))
}

const MAX_ISSUES = 20

function* findIssues(value: unknown, path: string): Generator<Issue> {
  // JSON.parse makes Infinity of 1e999, and JSON has no way to write that.
  if (typeof value === 'number' && !Number.isFinite(value)) yield { path, message: 'is too large a number' }
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    if (key.startsWith('$'))
      yield { path: within(path, key), message: 'has a reserved name: it starts with $' }
    else yield* findIssues(child, within(path, key))
  }
}

const within = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)
