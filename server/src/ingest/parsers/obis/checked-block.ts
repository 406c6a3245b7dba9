/**
 * Checks and removes the frame of a telegram: BCC between STX and ETX [IEC 62056-21, 6.3 and 8.4], or the CRC16 after
 * `!` [DSMR P1, 5.2]. DSMR up to version 3 has neither, and gateways strip STX, ETX and BCC.
 */
import { UnreadableError } from '../../unreadable.ts'

const STX = '\x02'
const ETX = '\x03'

/**
 * @returns the data block without its end mark
 * @throws UnreadableError
 */
export function checkedBlock(payload: Buffer): string {
  const text = payload.toString('latin1')
  const identification = /^\s*(?:\/[^\r\n]*\r?\n\s*)?/.exec(text)![0]
  const rest = text.slice(identification.length)
  if (rest.startsWith(STX)) {
    refuseParityBits(text)
    return blockWithBcc(rest)
  }
  return blockWithCrc(text.trimStart(), rest)
}

function refuseParityBits(text: string): void {
  if (/[^\0-\x7f]/.test(text))
    throw new UnreadableError(
      'bad_format',
      'The telegram has bytes that are not ASCII. Strip the parity bit.',
    )
}

function blockWithBcc(text: string): string {
  const end = text.indexOf(ETX)
  if (end < 0 || end + 1 === text.length) throw truncated('before ETX and its check character')
  if (text.slice(end + 2).trim() !== '') throw moreThanOne()
  const covered = Buffer.from(text.slice(1, end + 1), 'latin1')
  const expected = covered.reduce((bcc, byte) => bcc ^ byte, 0)
  compare('BCC', expected, text.charCodeAt(end + 1), 2)
  return text.slice(1, end).replace(/!\s*$/, '')
}

function blockWithCrc(telegram: string, rest: string): string {
  const end = /^!([^\r\n]*)/m.exec(rest)
  refuseParityBits(end ? rest.slice(0, end.index) : telegram)
  if (!end) throw truncated('before the line with !')
  const block = rest.slice(0, end.index)
  // Some meters send a few meaningless bytes at the end; a second telegram would contain brackets.
  if (/[/(]/.test(rest.slice(end.index))) throw moreThanOne()
  const crc = end[1]!.trim()
  if (/^[0-9A-F]{1,4}$/i.test(crc))
    compareCrc(crc16(telegram.slice(0, telegram.length - rest.length + end.index + 1)), crc)
  // Telegrams of version 4 and later always have a CRC.
  else if (/^1-3:0\.2\.8\([4-9]\d/m.test(block)) throw truncated('before the CRC')
  return block
}

/** Some meters omit leading zeros of the CRC. */
function compareCrc(expected: number, crc: string): void {
  if (crc.length < 4 && Number(`0x${crc}`) !== expected)
    throw truncated('within the CRC, which has four hexadecimal digits')
  compare('CRC', expected, Number(`0x${crc}`), 4)
}

/** CRC-16/ARC: polynomial 0xA001 reflected, initial value 0. */
function crc16(text: string): number {
  let crc = 0
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  }
  return crc
}

function compare(name: string, expected: number, found: number, digits: number): void {
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(digits, '0')
  if (expected !== found)
    throw new UnreadableError(
      'bad_checksum',
      `The ${name} is ${hex(found)}, but the telegram's bytes make ${hex(expected)}.`,
    )
}

const truncated = (where: string) =>
  new UnreadableError('bad_format', `The telegram ends ${where}: it was cut off.`)
const moreThanOne = () =>
  new UnreadableError('bad_format', 'Something follows the end of the telegram. Send one telegram a message.')
