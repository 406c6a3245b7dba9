/** Reads what was typed for a value of any type: JSON where it is JSON, else a text. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Writes a value so that `readValue` returns it: a text that would be read as JSON is quoted. */
export const writeValue = (value: unknown): string =>
  typeof value === 'string' && readValue(value) === value ? value : JSON.stringify(value)
