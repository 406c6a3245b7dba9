import { validationError } from './errors.ts'

/** @throws validation_error for what the format of times allows and no clock shows, such as a leap second */
export function readTime(text: string | undefined, path: string): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime()))
    throw validationError({ path, message: 'is not a time such as 2026-01-31T12:00:00Z' })
  return time
}
