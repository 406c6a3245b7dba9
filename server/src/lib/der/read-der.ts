/** Reads DER strictly: lengths are minimal and end where their parent ends. Input may be hostile. */

export class DerError extends Error {
  override name = 'DerError'
}

export interface DerValue {
  /** One byte: class, constructed bit and number. */
  tag: number
  /** A view of the value. */
  content: Buffer
  /** A view of tag, length and value. */
  bytes: Buffer
}

/** @throws DerError also for bytes after the value */
export function readDer(bytes: Buffer): DerValue {
  const value = readAt(bytes, 0)
  if (value.bytes.length !== bytes.length) throw new DerError('there are bytes after its end')
  return value
}

/** @throws DerError if the content is not a list of values */
export function readChildren({ content }: DerValue): DerValue[] {
  const children: DerValue[] = []
  for (let offset = 0; offset < content.length;) {
    const child = readAt(content, offset)
    children.push(child)
    offset += child.bytes.length
  }
  return children
}

/** @throws DerError if the value has another tag */
export function expectTag(value: DerValue | undefined, tag: number, name: string): DerValue {
  if (value?.tag !== tag) throw new DerError(`${name} is missing or of another type`)
  return value
}

/** @throws DerError if the value has another tag or is not a list of values */
export const readList = (value: DerValue | undefined, tag: number, name: string): DerValue[] =>
  readChildren(expectTag(value, tag, name))

function readAt(bytes: Buffer, offset: number): DerValue {
  const [tag, first] = [bytes[offset], bytes[offset + 1]]
  if (tag === undefined || first === undefined) throw new DerError('it ends too early')
  if ((tag & 0x1f) === 0x1f) throw new DerError('it has a tag that certificates do not use')
  const digits = first < 0x80 ? 0 : first & 0x7f
  // 0x80 is an indefinite length.
  if (first === 0x80 || digits > 3) throw new DerError('it has a length that DER does not allow')
  const start = offset + 2 + digits
  if (start > bytes.length) throw new DerError('it ends too early')
  const length = digits === 0 ? first : bytes.readUIntBE(offset + 2, digits)
  if (digits > 0 && length < (digits === 1 ? 0x80 : 2 ** (8 * (digits - 1))))
    throw new DerError('it has a length that is not minimal')
  const end = start + length
  if (end > bytes.length) throw new DerError('it ends too early')
  return { tag, content: bytes.subarray(start, end), bytes: bytes.subarray(offset, end) }
}

/** @returns such as `2.5.29.19` @throws DerError */
export function readObjectIdentifier(value: DerValue | undefined): string {
  const { content } = expectTag(value, 0x06, 'an object identifier')
  if (content.length === 0 || content.at(-1)! & 0x80)
    throw new DerError('an object identifier ends too early')
  const numbers: number[] = []
  let number = 0
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f)
    if (number > Number.MAX_SAFE_INTEGER)
      throw new DerError('an object identifier has a number that is too large')
    if (byte & 0x80) continue
    numbers.push(number)
    number = 0
  }
  const [head = 0, ...rest] = numbers
  const first = Math.min(2, Math.floor(head / 40))
  return [first, head - first * 40, ...rest].join('.')
}
