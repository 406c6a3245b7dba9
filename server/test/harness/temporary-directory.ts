/** A temporary directory that is deleted with the test. Others may enter it: PostgreSQL runs as `nobody` if the tests run as root. */
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryDirectory extends AsyncDisposable {
  path: string
}

export async function temporaryDirectory(mode = 0o711): Promise<TemporaryDirectory> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'gangway-test-')))
  await chmod(path, mode)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
