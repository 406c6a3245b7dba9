/** Shapes that many rooms use. */
import Type, { type TSchema } from 'typebox'

/** `.` and `..` are no ids: they vanish from URLs. */
export const SUPPLIED_ID_PATTERN = '^(?!\\.{1,2}$)[A-Za-z0-9._:;-]{1,128}$'
export const DEVICE_ID_PATTERN = '^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,128}$'

/** An id that the client supplies: asset, provider, template, model. [docs/api#ids] */
export const SuppliedId = Type.String({
  pattern: SUPPLIED_ID_PATTERN,
  description: '1 to 128 letters, digits, `.`, `_`, `-`, `:`, `;`; not `.` or `..`',
})
/** A device or provider client id: it stands in MQTT topics and certificate names. [docs/api#ids] */
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

/** Any JSON object, its fields free. */
export const FreeObject = Type.Unsafe<Record<string, unknown>>(
  Type.Object({}, { additionalProperties: true }),
)

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** `Date` → ISO 8601; absent stays null. */
export const timestampOf = (date: Date | null | undefined): string | null => date?.toISOString() ?? null
