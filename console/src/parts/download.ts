/** Saves a file on the user's computer. */
export function download(parts: BlobPart[], name: string, type = 'text/csv') {
  const address = URL.createObjectURL(new Blob(parts, { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Writes CSV. Values that a spreadsheet would execute as formulas are written as text. */
export const writeCsv = (rows: (string | number | null)[][]): string =>
  rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('')

function writeCell(value: string | number | null): string {
  const text = String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(text) && typeof value === 'string' ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
