/** A backup or a restore is refused, or fails for a reason that the operator can mend; the message needs no stack. */
export class BackupError extends Error {
  override name = 'BackupError'
}

/** The file is not as it was written. */
export class DamagedError extends BackupError {
  constructor() {
    super('The backup is damaged: it was cut off or changed. Use another one.')
  }
}
