/** Types of columns that many tables have. */
import type { ColumnType } from 'kysely'

export type Timestamp = ColumnType<Date, Date | string, Date | string>
/** Set by the database where it is not given, and never changed. */
export type CreatedAt = ColumnType<Date, Date | string | undefined, never>
/** Read as a value, written as the text of its JSON. */
export type Json<T> = ColumnType<T, string, string>
/** Like `Json`, with a default in the database. */
export type OptionalJson<T> = ColumnType<T, string | undefined, string>
/** Like `Json`, or null. */
export type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>
