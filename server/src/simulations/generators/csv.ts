/** Reads comma-separated values line by line: a header, then rows. A quoted field may contain commas, but no line break. */
import type { Readable } from 'node:stream'

const MAX_LINE_CHARACTERS = 64 * 1024

export class CsvError extends Error {
  override name = 'CsvError'
}

/**
 * Yields the fields of the header, then those of each row. A row may have fewer fields than the header: an object with
 * all columns would cost as much as the longest header, however short the row.
 * @param maxRows later rows are not read @throws CsvError
 */
export async function* readCsv(content: Readable, maxRows: number): AsyncGenerator<string[]> {
  let hasHeader = false
  let separator = ','
  let rows = 0
  for await (const line of readLines(content)) {
    if (line === '') continue
    if (hasHeader) {
      yield splitFields(line, separator)
      if (++rows === maxRows) return
    } else {
      if (!line.includes(',') && line.includes(';')) separator = ';'
      hasHeader = true
      yield splitFields(line.replace(/^\ufeff/, ''), separator)
    }
  }
  if (!hasHeader) throw new CsvError('is empty')
}

async function* readLines(content: Readable): AsyncGenerator<string> {
  let rest = ''
  content.setEncoding('utf8')
  for await (const chunk of content) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield line.replace(/\r$/, '')
    if (rest.length > MAX_LINE_CHARACTERS)
      throw new CsvError(`has a line of more than ${MAX_LINE_CHARACTERS} characters`)
  }
  yield rest.replace(/\r$/, '')
}

function splitFields(line: string, separator: string): string[] {
  const pattern =
    separator === ',' ? /(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/y : /(?:"((?:[^"]|"")*)"|([^;]*))(?:;|$)/y
  const fields: string[] = []
  for (let match = pattern.exec(line); match; match = pattern.exec(line)) {
    fields.push((match[1]?.replaceAll('""', '"') ?? match[2]!).trim())
    if (pattern.lastIndex === line.length && !match[0].endsWith(separator)) break
  }
  return fields
}
