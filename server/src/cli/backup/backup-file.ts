/**
 * The backup file: a header as one line of JSON, then the records, compressed, and sealed if there is a passphrase. The
 * file gets its name when it is complete and synced to the disk.
 */
import { createReadStream, existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { writeFile } from '../../resources/files/write-file.ts'
import { BackupError, DamagedError } from './error.ts'
import { decodeRecords, encodeRecords, type IncomingRecord, type OutgoingRecord } from './records.ts'
import { makeStreamKey, openStreamKey, type Seal, sealStream, unsealStream } from './seal-stream.ts'

/** The first line of the file. */
export interface FileHeader {
  gangwayBackup: number
  createdAt: string
  /** The version of Gangway that wrote it. */
  gangway: string
  /** Number of the database's newest migration. */
  migration: number
  seal: Seal | null
}

export interface BackupFile {
  path: string
  header: FileHeader
  /** Includes its line break. */
  firstLine: string
  key: Buffer | undefined
}

export interface Written {
  fileBytes: number
  /** Size before compression. */
  contentBytes: number
}

const FORMAT = 1
const LONGEST_FIRST_LINE = 4096
/** Size of the pieces that are compressed: passing small pieces on would cost more than compressing them. */
const CHUNK_BYTES = 256 * 1024

/** @throws BackupError if the file exists or cannot be written */
export async function writeBackupFile(
  path: string,
  about: Pick<FileHeader, 'gangway' | 'migration'> & { passphrase: string | undefined; signal: AbortSignal },
  records: AsyncIterable<OutgoingRecord>,
): Promise<Written> {
  const partial = `${path}.partial`
  const { passphrase, signal, gangway, migration } = about
  requireNoFile(path, partial)
  const streamKey = passphrase === undefined ? undefined : await makeStreamKey(passphrase)
  const createdAt = new Date().toISOString()
  const header = { gangwayBackup: FORMAT, createdAt, gangway, migration, seal: streamKey?.seal ?? null }
  const firstLine = `${JSON.stringify(header)}\n`
  const written = { fileBytes: 0, contentBytes: 0 }
  const finish = async function* (compressed: AsyncIterable<Buffer>) {
    yield Buffer.from(firstLine)
    yield* streamKey ? sealStream(compressed, streamKey.key) : compressed
  }
  try {
    await pipeline(
      gather(encodeRecords(records, firstLine), (bytes) => (written.contentBytes += bytes)),
      createGzip({ level: 1, chunkSize: CHUNK_BYTES }),
      finish,
      (file: AsyncIterable<Buffer>) =>
        writeFile({ path: partial }, file, ({ length }) => (written.fileBytes += length)),
      { signal },
    )
    requireNoFile(path)
    await rename(partial, path)
    await syncDirectory(dirname(path))
    return written
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === 'open') throw new BackupError(`${partial} cannot be written (${code}).`, { cause: error })
    await rm(partial, { force: true })
    throw error
  }
}

function requireNoFile(path: string, partial?: string) {
  if (existsSync(path)) throw new BackupError(`${path} exists already. Choose another name.`)
  if (partial && existsSync(partial))
    throw new BackupError(
      `${partial} is there: another backup is being written to it, or one was killed. Remove it, or choose another name.`,
    )
}

async function* gather(source: AsyncIterable<Buffer>, count: (bytes: number) => void) {
  let held: Buffer[] = []
  let bytes = 0
  for await (const chunk of source) {
    held.push(chunk)
    bytes += chunk.length
    if (bytes < CHUNK_BYTES) continue
    count(bytes)
    yield Buffer.concat(held)
    ;[held, bytes] = [[], 0]
  }
  count(bytes)
  yield Buffer.concat(held)
}

async function syncDirectory(path: string) {
  const directory = await open(path)
  await directory.sync().finally(() => directory.close())
}

/** @throws BackupError */
export async function openBackupFile(path: string, passphrase: string | undefined): Promise<BackupFile> {
  const { header, firstLine } = await readFirstLine(path)
  if (header.gangwayBackup !== FORMAT)
    throw new BackupError(
      `${path} has format ${header.gangwayBackup}, and this version of Gangway reads format ${FORMAT}. ` +
        `Restore it with Gangway ${header.gangway}, or a newer version.`,
    )
  if (!header.seal) return { path, header, firstLine, key: undefined }
  if (passphrase === undefined)
    throw new BackupError(`${path} is sealed. Set GANGWAY_BACKUP_PASSPHRASE to its passphrase.`)
  const { key } = await openStreamKey(passphrase, header.seal)
  return { path, header, firstLine, key }
}

async function readFirstLine(path: string) {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new BackupError(`${path} cannot be read (${error.code}).`)
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_FIRST_LINE), 0, LONGEST_FIRST_LINE, 0)
    const end = buffer.subarray(0, bytesRead).indexOf('\n') + 1
    const firstLine = buffer.toString('utf8', 0, end)
    const header = JSON.parse(firstLine) as FileHeader
    if (Number.isInteger(header.gangwayBackup)) return { firstLine, header }
  } catch {
    // Not a backup; refused below.
  } finally {
    await file.close()
  }
  throw new BackupError(`${path} is not a backup of Gangway.`)
}

/**
 * May be called several times. The content is verified while it is read: only when this function returns is all of it
 * known to be intact.
 * @returns size of the content before compression
 * @throws DamagedError; errors of `consume`
 */
export async function readBackupFile(
  { path, firstLine, key }: BackupFile,
  consume: (records: AsyncIterable<IncomingRecord>) => Promise<void>,
): Promise<number> {
  const file = createReadStream(path, { start: Buffer.byteLength(firstLine), highWaterMark: CHUNK_BYTES })
  const unseal = async function* (source: AsyncIterable<Buffer>) {
    yield* key ? unsealStream(source, key) : source
  }
  const read = async (source: AsyncIterable<Buffer>) => consume(decodeRecords(source, firstLine))
  let contentBytes = 0
  const count = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      contentBytes += chunk.length
      yield chunk
    }
  }
  try {
    await pipeline(file, unseal, createGunzip({ chunkSize: CHUNK_BYTES }), count, read)
    return contentBytes
  } catch (error) {
    const isUnreadable = (error as { code?: string }).code?.startsWith('Z_')
    throw isUnreadable ? new DamagedError() : error
  }
}
