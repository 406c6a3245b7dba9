/** Explains a failed start in one line: the reason and what to do. Only unexpected errors print a stack. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ListenError } from '../lib/listen-error.ts'

/** Errors whose message already says what to do. */
const selfExplaining = new Set([
  'BackupError',
  'CertificateError',
  'ConfigurationError',
  'DatabaseUnusableError',
  'DirectoryInUseError',
  'DiskFullError',
  'EmbeddedDatabaseError',
  'MigrationError',
  'NatsUnusableError',
  'SecretKeyError',
  'ServersRunningError',
  'UnfinishedRestoreError',
])

export function explainFailedStart(error: unknown): never {
  const reason = findReason(error)
  if (reason.name === 'StoppedError') {
    console.error(`Gangway was ${reason.message} before it had started.`)
    process.exit(0)
  }
  console.error(`Gangway cannot start: ${explain(reason)}`)
  process.exit(1)
}

/** If cleaning up failed too, the first error counts. */
function findReason(error: unknown): Error {
  const { name, suppressed } = error as Error & { suppressed?: unknown }
  return name === 'SuppressedError' && suppressed ? findReason(suppressed) : (error as Error)
}

/** @returns the stack of an unexpected error */
export function explain(failure: unknown): string {
  const error = findReason(failure)
  if (isDiskFull(error)) return `the disk is full (${error.message}). Free some space, or give it more.`
  if (selfExplaining.has(error.name)) return error.message
  const explained = error instanceof ListenError ? explainListening(error) : explainFile(error)
  return explained ?? error.stack ?? error.message
}

/** 53100 is PostgreSQL's code; its own file errors have only text. A DiskFullError has its own message. */
const isDiskFull = ({ name, code, message }: NodeJS.ErrnoException) =>
  name !== 'DiskFullError' &&
  (['ENOSPC', 'EDQUOT', '53100'].includes(code ?? '') || message.includes('No space left on device'))

function explainListening({ code = '', address }: ListenError): string | undefined {
  const { host, port, hostVariable, portVariable } = address
  switch (code) {
    case 'EADDRINUSE':
      return `${portVariable}: port ${port} is taken. Stop what uses it, or choose another port.`
    case 'EACCES':
      return `${portVariable}: this user may not listen on port ${port}. Choose a port above 1023, or allow it (CAP_NET_BIND_SERVICE).`
    case 'EADDRNOTAVAIL':
      return `${hostVariable}: ${host} is not an address of this machine.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${hostVariable}: the name ${host} has no address. Use an address of this machine, or 0.0.0.0 for all.`
    default:
      return undefined
  }
}

const elsewhere = 'or choose another data directory with GANGWAY_DATA_DIR'

function explainFile(error: NodeJS.ErrnoException & { address?: string }): string | undefined {
  // A Unix socket that cannot listen has its path as an address.
  const { code, path = error.address } = error
  if (!code || !path) return undefined
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return (
        `${path}: user id ${process.getuid?.()} has no right to use it${findOwner(path)}. Start the server as the user who ` +
        `started it before, give the files to this user with chown -R, ${elsewhere}.`
      )
    case 'EROFS':
      return `${path} is on a file system that is mounted read-only. Mount it for writing, ${elsewhere}.`
    case 'ENOENT':
      // Node also reports this for a directory on a read-only file system.
      return `${path} cannot be made. Perhaps the file system is mounted read-only, or a link in the path leads nowhere. Repair it, ${elsewhere}.`
    case 'EISDIR':
      return `${path} is a directory, where a file has to be. Move it away, ${elsewhere}.`
    case 'EEXIST':
    case 'ENOTDIR':
      return `${path}: a file stands where a directory has to be. Move it away, ${elsewhere}.`
    default:
      return undefined
  }
}

/** Names the owner of the path, or of its parent directory. */
function findOwner(path: string): string {
  for (const each of [path, dirname(path)])
    try {
      return `, since ${each} belongs to user id ${statSync(each).uid}`
    } catch {
      // The path does not exist or is not accessible.
    }
  return ''
}
