import { type ApiError, validationError } from '../../http/errors.ts'

/** @param index index of the character in `text`, from 0; the message counts from 1, and an emoji as one character */
export function whereProblem(text: string, index: number, problem: string): ApiError {
  const character = Array.from(text.slice(0, index)).length + 1
  return validationError({ path: 'whereClause', message: `at character ${character}: ${problem}` })
}
