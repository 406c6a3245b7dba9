/**
 * Seals a stream with a passphrase: scrypt derives the key, AES-256-GCM seals pieces of 64 KiB. The nonce of a piece is
 * its number and whether it is the last one, so that missing, exchanged or truncated pieces are detected. Each file has
 * its own salt and thus its own key.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { createSealer } from '../../lib/seal.ts'
import { createByteReader } from './byte-reader.ts'
import { BackupError, DamagedError } from './error.ts'

/** Parameters that the file holds unencrypted, since they are needed to open it. */
export interface Seal {
  kdf: 'scrypt'
  /** Cost, block size and parallelization of scrypt. */
  n: number
  r: number
  p: number
  /** Base64. */
  salt: string
  /** A sealed value to test the passphrase before anything else is read. */
  check: string
}

export interface StreamKey {
  key: Buffer
  seal: Seal
}

const PIECE_BYTES = 64 * 1024
const TAG_BYTES = 16
/** 128 MiB of memory and half a second. */
const cost = { n: 2 ** 17, r: 8, p: 1 }
const MOST_MEMORY_BYTES = 1024 ** 3
const checkPlace = 'passphrase of a backup'

export async function makeStreamKey(passphrase: string): Promise<StreamKey> {
  const parameters = { kdf: 'scrypt' as const, ...cost, salt: randomBytes(32).toString('base64') }
  const { key, checker } = await deriveKeys(passphrase, parameters)
  return { key, seal: { ...parameters, check: checker.seal('', checkPlace).toString('base64') } }
}

/** @throws BackupError if the passphrase is wrong */
export async function openStreamKey(passphrase: string, seal: Seal): Promise<StreamKey> {
  const { key, checker } = await deriveKeys(passphrase, seal).catch(() => {
    throw new DamagedError()
  })
  try {
    checker.open(Buffer.from(seal.check, 'base64'), checkPlace)
  } catch {
    throw new BackupError('GANGWAY_BACKUP_PASSPHRASE is not the passphrase of this backup.')
  }
  return { key, seal }
}

async function deriveKeys(passphrase: string, { n, r, p, salt }: Omit<Seal, 'check'>) {
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)
  // The same letters can be entered as different code points.
  const options = { N: n, r, p, maxmem: MOST_MEMORY_BYTES }
  const bytes = await derive(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), 64, options)
  return { key: bytes.subarray(0, 32), checker: createSealer([bytes.subarray(32)]) }
}

export async function* sealStream(source: AsyncIterable<Buffer>, key: Buffer): AsyncGenerator<Buffer> {
  for await (const { piece, nonce } of cutIntoPieces(source, PIECE_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
  }
}

/** @throws DamagedError */
export async function* unsealStream(source: AsyncIterable<Buffer>, key: Buffer): AsyncGenerator<Buffer> {
  for await (const { piece, nonce } of cutIntoPieces(source, PIECE_BYTES + TAG_BYTES)) {
    if (piece.length < TAG_BYTES) throw new DamagedError()
    const decipher = createDecipheriv('aes-256-gcm', key, nonce)
    decipher.setAuthTag(piece.subarray(-TAG_BYTES))
    const opened = decipher.update(piece.subarray(0, -TAG_BYTES))
    try {
      decipher.final()
    } catch {
      throw new DamagedError()
    }
    yield opened
  }
}

async function* cutIntoPieces(source: AsyncIterable<Buffer>, length: number) {
  const reader = createByteReader(source)
  let piece = await reader.readUpTo(length)
  for (let number = 0, isLast = false; !isLast; number++) {
    const next = await reader.readUpTo(length)
    isLast = next.length === 0
    yield { piece, nonce: makeNonce(number, isLast) }
    piece = next
  }
}

function makeNonce(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(number, 5, 6)
  nonce.writeUInt8(isLast ? 1 : 0, 11)
  return nonce
}
