/** A start that fails says why in one line; what the operator can mend needs no stack. */

/** Errors whose message already says what to do. */
const selfExplaining = new Set([
  'ConfigurationError',
  'DirectoryInUseError',
  'DiskFullError',
  'EmbeddedDatabaseError',
  'DatabaseUnusableError',
  'MigrationError',
  'SecretKeyError',
  'ServersRunningError',
])

export function explainFailedStart(error: unknown): never {
  const { name, message, stack, code, port } = error as Error & { code?: string; port?: number }
  if (code === 'EADDRINUSE')
    console.error(`Gangway cannot start: port ${port} is taken. Stop what uses it, or choose another.`)
  else if (isDiskFull(code, message))
    console.error(`Gangway cannot start: the disk is full (${message}). Free some space, or give it more.`)
  else console.error(`Gangway cannot start: ${selfExplaining.has(name) ? message : (stack ?? message)}`)
  process.exit(1)
}

/** 53100 is PostgreSQL's code; what it writes itself comes as text. */
const isDiskFull = (code: string | undefined, message: string) =>
  ['ENOSPC', 'EDQUOT', '53100'].includes(code ?? '') || message.includes('No space left on device')
