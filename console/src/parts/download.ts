/** Saves a file on the user's computer. */
export function download(parts: BlobPart[], name: string, type = 'text/csv') {
  const address = URL.createObjectURL(new Blob(parts, { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Writes values exactly, since a program may read them: a key may start with `+`. Text by strangers needs `spreadsheetText`. */
export const writeCsv = (rows: (string | number | null)[][]): string =>
  rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('')

/** Puts an apostrophe before text that a spreadsheet would execute as a formula. */
export const spreadsheetText = (text: string): string => (/^\s*[=+@\t\r\n|-]/.test(text) ? `'${text}` : text)

function writeCell(value: string | number | null): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
