/** Argument: a directory. Prints `locked` or `refused`, and holds the lock until it is killed. */
import { DirectoryInUseError, lockDirectory } from '../../src/database/directory-lock.ts'

try {
  await lockDirectory(process.argv[2]!)
  console.log('locked')
  setInterval(() => {}, 60_000)
} catch (error) {
  console.log(error instanceof DirectoryInUseError ? 'refused' : error)
}
