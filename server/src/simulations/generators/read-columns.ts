/** Reads the columns of CSV files (shared resources) for csv signals. */
import { requirePermission } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError, validationError } from '../../http/errors.ts'
import { MissingFileError } from '../../resources/files/storage.ts'
import { takeTurns } from '../../lib/take-turns.ts'
import { getResource } from '../../resources/store.ts'
import { CsvError, readCsv } from './csv.ts'
import type { Signal, SimulatedValue } from './signal.ts'

/** Later rows of a file are not read. */
export const MAX_ROWS = 100_000
const MAX_TEXT = 1024

/** A row without a value is undefined. */
export type Column = (SimulatedValue | undefined)[]

/**
 * Each file is read once, also if several signals use it.
 * @returns the column of each signal
 * @throws forbidden, not_found; validation_error if the resource is not a CSV file, lacks the column or has no rows
 */
export async function readColumns(
  ctx: Context,
  caller: Caller,
  signals: Signal[],
  maxRows = MAX_ROWS,
): Promise<Map<Signal, Column>> {
  const columns = new Map<Signal, Column>()
  const turn = takeTurns()
  const resourceIds = new Set(
    signals.flatMap((signal) => (signal.generator === 'csv' ? [signal.resourceId!] : [])),
  )
  for (const resourceId of resourceIds) {
    const readers = signals.filter((signal) => signal.resourceId === resourceId)
    const issuePath = (signal: Signal, field: string) => `signals.${signals.indexOf(signal)}.${field}`
    const file = await openFile(ctx, caller, resourceId, issuePath(readers[0]!, 'resourceId'))
    for (const signal of readers) columns.set(signal, [])
    try {
      let places: number[] | undefined
      for await (const fields of readCsv(file, maxRows)) {
        // A file is read in large chunks, of which each may hold thousands of rows.
        await turn()
        if (places)
          for (const [index, place] of places.entries())
            columns.get(readers[index]!)!.push(parseValue(fields[place] ?? ''))
        else places = findPlaces(fields, readers, issuePath)
      }
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      throw validationError({ path: issuePath(readers[0]!, 'resourceId'), message: error.message })
    } finally {
      file.destroy()
    }
    for (const signal of readers)
      if (columns.get(signal)!.length === 0)
        throw validationError({
          path: issuePath(signal, 'resourceId'),
          message: 'has no row below its header',
        })
  }
  return columns
}

async function openFile(ctx: Context, caller: Caller, resourceId: string, path: string) {
  await requirePermission(ctx, caller, 'view', { type: 'resource_item', id: resourceId })
  const resource = await getResource(ctx.db, caller.tenantId, resourceId)
  if (resource.file_key === null)
    throw validationError({ path, message: 'is a JSON document, must be a file with comma-separated values' })
  return ctx.files.open(resource.file_key).catch((error: unknown) => {
    if (!(error instanceof MissingFileError)) throw error
    throw new ApiError('conflict', `The file of the resource ${resourceId} is gone. Upload it again.`)
  })
}

/** Returns the place of each signal's column in a row; of two columns of one name the last one counts. */
function findPlaces(
  header: string[],
  readers: Signal[],
  issuePath: (signal: Signal, field: string) => string,
): number[] {
  const places = readers.map(({ column }) => header.lastIndexOf(column!))
  const missing = readers.filter((_, index) => places[index] === -1)
  if (missing.length === 0) return places
  const known = [...new Set(header)].slice(0, 20).join(', ').slice(0, 500)
  throw validationError(
    ...missing.map((signal) => ({
      path: issuePath(signal, 'column'),
      message: `is no column of the file, which has ${known}`,
    })),
  )
}

function parseValue(text: string): SimulatedValue | undefined {
  if (text === '') return undefined
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  const number = Number(text)
  if (Number.isFinite(number) && Math.abs(number) <= 1e15) return number
  return text.replaceAll('\u0000', '').slice(0, MAX_TEXT).toWellFormed()
}
