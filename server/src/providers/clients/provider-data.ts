/** What is set for a client beyond its own fields: its payload parser, and what it was provisioned with. */
import type { Context } from '../../context.ts'
import { validationError } from '../../http/errors.ts'
import { isProperties, type Properties } from '../twin/merge-patch.ts'

/** As JSON text. It is part of the record in every list. */
const MAX_BYTES = 64 * 1024

/** @param path of it in the request @throws validation_error */
export function checkProviderData(
  { parsers }: Pick<Context, 'parsers'>,
  data: Properties,
  path: string,
): void {
  parsers.of(data.parser, `${path}.parser`)
  const bytes = Buffer.byteLength(JSON.stringify(data))
  if (bytes <= MAX_BYTES) return
  throw validationError({ path, message: `would have ${bytes} bytes; it can have ${MAX_BYTES}` })
}

const SECRET_NAME =
  /(password|passphrase|secret|token|connectionstring|(primary|secondary|private|access|api|symmetric)key)$/

/** As it is shown and audited: whoever views the client sees it, so that secrets that somebody put into it are left out. */
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
