/** A backup or restore is refused or fails for a reason that the operator can fix; no stack is needed. */
export class BackupError extends Error {
  override name = 'BackupError'
}

/** The file was damaged or changed. */
export class DamagedError extends BackupError {
  constructor() {
    super('The backup is damaged: it was cut off or changed. Use another one.')
  }
}
