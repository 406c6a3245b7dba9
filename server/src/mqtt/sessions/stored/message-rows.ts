/** Publications as rows. */
import { type RawBuilder, sql } from 'kysely'
import type { ForwardedProperties, Publication, Qos } from '../publication.ts'
import type { StoredMessage } from './stored-sessions.ts'

export interface PublicationRow {
  topic: string
  payload: Buffer
  qos: number
  properties: Record<string, unknown> | null
  expires_at: Date | null
}

export interface MessageRow extends PublicationRow {
  number: string
  packet_id: number | null
  retain: boolean
  is_released: boolean
}

export const readPublication = (row: PublicationRow, retain: boolean): Publication => ({
  topic: row.topic,
  payload: row.payload,
  qos: row.qos as Qos,
  retain,
  ...(row.expires_at && { expiresAtMs: row.expires_at.getTime() }),
  ...(row.properties && { properties: readProperties(row.properties) }),
})

/** @param packetId of a message that has none yet */
export const readMessage = (row: MessageRow, packetId: number): StoredMessage => ({
  ...readPublication(row, row.retain),
  number: Number(row.number),
  packetId,
  isReleased: row.is_released,
  wasSent: row.packet_id !== null,
})

/** Arrays for `unnest`, in the order of `PUBLICATION_COLUMNS`. */
export const publicationArrays = (publications: Publication[]): RawBuilder<unknown> => sql`
  ${publications.map(({ topic }) => topic)}::text[],
  ${publications.map(({ payload }) => payload)}::bytea[],
  ${publications.map(({ qos }) => qos)}::smallint[],
  ${publications.map(({ retain }) => retain)}::boolean[],
  ${publications.map(({ properties }) => writeProperties(properties))}::json[],
  ${publications.map(({ expiresAtMs }) => expiresAtMs ?? null)}::float8[]`

export const PUBLICATION_COLUMNS = sql`topic, payload, qos, retain, properties, expires_at_ms`

const writeProperties = (properties: ForwardedProperties | undefined): string | null =>
  properties
    ? JSON.stringify({ ...properties, correlationData: properties.correlationData?.toString('base64') })
    : null

function readProperties({ correlationData, ...others }: Record<string, unknown>): ForwardedProperties {
  if (correlationData === undefined) return others
  return { ...others, correlationData: Buffer.from(correlationData as string, 'base64') }
}
