/** Counts the parts of a CBOR payload that are slow to decode, before it is decoded. [RFC 8949, 3] */

const [BYTES, TEXT, MAP, TAG] = [2, 3, 5, 6]
/** Numbers are quicker to decode than other parts. */
const NUMBERS_A_PART = 10
const INDEFINITE = 31
const INDEFINITE_MAP = 0xbf

/**
 * Counts lists, maps, keys, tags, texts and byte strings; a key that is text counts as both. Once there is a map of
 * indefinite length, any number may be a key and counts too. Other numbers count apart, ten as one part. For bytes that
 * are not CBOR the result is undefined.
 */
export function countCborParts(payload: Buffer): number {
  let parts = 0
  let numbers = 0
  let areKeysPossible = false
  for (let place = 0; place < payload.length;) {
    const head = payload[place]!
    const [type, info] = [head >> 5, head & 31]
    const argumentBytes = info < 24 || info > 27 ? 0 : 1 << (info - 24)
    const isCounted = type >= BYTES && type <= TAG
    if (isCounted || areKeysPossible) parts++
    else numbers++
    areKeysPossible ||= head === INDEFINITE_MAP
    const argument = isCounted && info !== INDEFINITE ? readArgument(payload, place + 1, info) : 0
    place += 1 + argumentBytes
    if (type === MAP) parts += argument
    else if (type === BYTES || type === TEXT) place += argument
  }
  return Math.max(parts, numbers / NUMBERS_A_PART)
}

/** Returns Infinity for one that ends behind the payload. */
function readArgument(payload: Buffer, place: number, info: number): number {
  if (info < 24) return info
  const bytes = 1 << (info - 24)
  if (place + bytes > payload.length) return Infinity
  return bytes < 8 ? payload.readUIntBE(place, bytes) : Number(payload.readBigUInt64BE(place))
}
