/** Shapes that several rooms use. */
import Type, { type TSchema } from 'typebox'

/** `.` and `..` are not valid ids: URL parsers remove them. */
export const SUPPLIED_ID_PATTERN = '^(?!\\.{1,2}$)[A-Za-z0-9._:;-]{1,128}$'
export const DEVICE_ID_PATTERN = '^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,128}$'

/** An id that the caller supplies: of an asset, provider, template or model. [docs/api#ids] */
export const SuppliedId = Type.String({
  pattern: SUPPLIED_ID_PATTERN,
  description: '1 to 128 letters, digits, `.`, `_`, `-`, `:`, `;`; not `.` or `..`',
})
/** Id of a device or provider client: part of MQTT topics and certificate names. [docs/api#ids] */
export const DeviceId = Type.String({
  pattern: DEVICE_ID_PATTERN,
  description: '1 to 128 letters, digits, `.`, `_`, `-`; not `.` or `..`',
})
export const Uuid = Type.String({ format: 'uuid' })
export const DisplayName = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '\\S',
  description: '1 to 256 characters, and not only spaces',
})
export const Description = Type.Union([Type.String({ maxLength: 4096 }), Type.Null()])
/** ISO 8601, UTC, milliseconds. */
export const Timestamp = Type.String({ format: 'date-time' })

/** Any JSON object. */
export const FreeObject = Type.Unsafe<Record<string, unknown>>(
  Type.Object({}, { additionalProperties: true }),
)

/** Validates with one schema and shows another in the API description; the handler checks against the latter. */
export const shownAs = <T extends TSchema>(schema: T, shown: TSchema): T => ({ ...schema, shownAs: shown })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** `Date` → ISO 8601; null if absent. */
export const formatTimestamp = (date: Date | null | undefined): string | null => date?.toISOString() ?? null
