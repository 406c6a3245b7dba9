/**
 * Seals secrets at rest with AES-256-GCM. Each value is bound to the place where it is stored and cannot be opened in
 * another row or column. A sealed value contains the id of its key, so that keys can be rotated.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const FORMAT = 1
const KEY_ID_BYTES = 4
const IV_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES + IV_BYTES + TAG_BYTES

export interface Sealer {
  /** @param place where the value is stored, from `sealedPlace()` */
  seal(plaintext: string, place: string): Buffer
  /** @throws Error if the value was changed, belongs to another place, or its key is not available */
  open(sealed: Buffer, place: string): string
}

/** The place of a stored secret: `table.column:primary key`. */
export const sealedPlace = (table: string, column: string, ...primaryKey: string[]) =>
  `${table}.${column}:${primaryKey.join('/')}`

/** @param keys 32 bytes each; the first one seals, all of them open */
export function createSealer(keys: Buffer[]): Sealer {
  const newest = keys[0]
  if (!newest) throw new Error('a sealer needs a key')
  const byId = new Map(keys.map((key) => [keyId(key).toString('hex'), key]))
  const newestId = keyId(newest)

  return {
    seal(plaintext, place) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', newest, iv)
      cipher.setAAD(Buffer.from(place))
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(FORMAT), newestId, iv, cipher.getAuthTag(), body])
    },
    open(sealed, place) {
      if (sealed.length < HEADER_BYTES || sealed[0] !== FORMAT)
        throw new Error(`not a sealed value: ${place}`)
      const id = sealed.subarray(1, 1 + KEY_ID_BYTES).toString('hex')
      const key = byId.get(id)
      if (!key) throw new Error(`${place} is sealed with a key that this server does not have (key ${id})`)
      const iv = sealed.subarray(1 + KEY_ID_BYTES, 1 + KEY_ID_BYTES + IV_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, iv)
      decipher.setAAD(Buffer.from(place))
      decipher.setAuthTag(sealed.subarray(HEADER_BYTES - TAG_BYTES, HEADER_BYTES))
      return decipher.update(sealed.subarray(HEADER_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

/** A key's id is a part of its digest, so that ids need no administration. */
function keyId(key: Buffer) {
  if (key.length !== 32) throw new Error('a sealing key has 32 bytes')
  return createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES)
}
