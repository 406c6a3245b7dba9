/**
 * Texts of messages with `{{variable}}` placeholders. They are checked when they are saved, so that rendering cannot
 * fail. [docs/notifications#message-templates]
 */
import type { Issue } from '../http/errors.ts'

const messageVariables = ['alarmName', 'assetName', 'ackUrl', 'severity', 'value', 'time'] as const
export type MessageValues = Record<(typeof messageVariables)[number], string>

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const known: readonly string[] = messageVariables

/** @returns the issues; none if the text can be rendered */
export function templateIssues(text: string, path: string): Issue[] {
  const names = [...text.matchAll(PLACEHOLDER)].map((match) => match[1]!.trim())
  const unknown = names.filter((name) => !known.includes(name))
  const issues = unknown.map((name) => ({
    path,
    message: `has the unknown variable {{${name.slice(0, 64)}}}; known are ${known.join(', ')}`,
  }))
  if (text.replace(PLACEHOLDER, '').includes('{{')) issues.push({ path, message: 'has {{ that no }} closes' })
  return issues
}

/** Inserted values are never read as templates themselves. */
export const renderTemplate = (
  template: string,
  values: MessageValues,
  escape: (text: string) => string = (text) => text,
): string =>
  template.replace(PLACEHOLDER, (_placeholder, name: string) =>
    escape(values[name.trim() as keyof MessageValues]),
  )

const MAX_VALUE_CHARACTERS = 200

/** Formats the value of a sample: text as it is, anything else as JSON. */
export function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text
}
