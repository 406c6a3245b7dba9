/** The provider data of a client: its payload parser, and the options with which it was provisioned. */
import type { Context } from '../../context.ts'
import { validationError } from '../../http/errors.ts'
import { isProperties, type Properties } from '../twin/merge-patch.ts'

/** Measured as JSON text. The data is part of the record in every list. */
const MAX_BYTES = 64 * 1024

/** @param path the path of the data in the request @throws validation_error */
export function checkProviderData(
  { parsers }: Pick<Context, 'parsers'>,
  data: Properties,
  path: string,
): void {
  parsers.of(data.parser, `${path}.parser`)
  const bytes = Buffer.byteLength(JSON.stringify(data))
  if (bytes <= MAX_BYTES) return
  throw validationError({ path, message: `would have ${bytes} bytes; the maximum is ${MAX_BYTES}` })
}

const SECRET_NAME =
  /(password|passphrase|secret|token|connectionstring|(primary|secondary|private|access|api|symmetric)key)$/

/** Removes fields whose names look like secrets: everyone who may view the client sees its provider data. */
export function withoutSecrets(data: Properties): Properties {
  const shown = Object.entries(data).filter(
    ([name]) => !SECRET_NAME.test(name.toLowerCase().replaceAll(/[_-]/g, '')),
  )
  return Object.fromEntries(shown.map(([name, value]) => [name, shownValue(value)]))
}

function shownValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownValue)
  return isProperties(value) ? withoutSecrets(value) : value
}
