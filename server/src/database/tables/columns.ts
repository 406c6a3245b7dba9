/** Column types that many tables use. */
import type { ColumnType } from 'kysely'

export type Timestamp = ColumnType<Date, Date | string, Date | string>
/** Has a default in the database and is never updated. */
export type CreatedAt = ColumnType<Date, Date | string | undefined, never>
/** Read as a value, written as JSON text. */
export type Json<T> = ColumnType<T, string, string>
/** Like `Json`, with a default in the database. */
export type OptionalJson<T> = ColumnType<T, string | undefined, string>
/** Like `Json`, or null. */
export type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>
