const WIDTH = 80

/** Formats JSON for reading: a value that fits into one line is not broken. */
export function writeJson(value: unknown, indent = ''): string {
  const line = writeLine(value)
  if (indent.length + line.length <= WIDTH || typeof value !== 'object' || value === null) return line
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item) => writeJson(item, inner))
    : Object.entries(value).map(([key, child]) => `${JSON.stringify(key)}: ${writeJson(child, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}

function writeLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(writeLine).join(', ')}]`
  const fields = Object.entries(value).map(([key, child]) => `${JSON.stringify(key)}: ${writeLine(child)}`)
  return `{${fields.join(', ')}}`
}
