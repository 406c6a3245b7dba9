/** Reads the text fields of an upload form into the shape of the JSON body. [docs/files#uploads] */
import { strictValidator } from '../../http/validate.ts'
import { validationError } from '../../http/errors.ts'
import { UploadFields } from '../schema.ts'
import { requireStorableTags } from '../tags.ts'

const validate = strictValidator(UploadFields, 'body')

/** @throws validation_error */
export function readUploadFields(fields: Record<string, unknown>): UploadFields {
  const read = validate({
    ...fields,
    ...jsonField(fields, 'tags'),
    ...jsonField(fields, 'authorizationContext'),
  }) as UploadFields
  requireStorableTags(read.tags ?? {})
  return read
}

function jsonField(fields: Record<string, unknown>, name: string) {
  const value = fields[name]
  if (typeof value !== 'string') return {}
  try {
    return { [name]: JSON.parse(value) as unknown }
  } catch {
    throw validationError({ path: name, message: 'must be a JSON object as text' })
  }
}
