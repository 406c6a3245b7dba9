/** Generates the generated files of the repository, with a temporary database. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../config.ts'
import { createContext } from '../context.ts'
import { createLog } from '../lib/log.ts'
import { describeSchema } from '../database/describe-schema.ts'
import { openDatabase } from '../database/open.ts'
import { describeApi } from '../http/openapi.ts'
import { createParts } from '../parts.ts'
import { apiRoutes } from '../routes.ts'
import { words } from '../system/words.ts'
import { version } from '../version.ts'
import { describeSettings } from './describe-settings.ts'

const readme = fileURLToPath(new URL('../../../README.md', import.meta.url))

/** @returns contents by file name relative to the repository */
export async function generateFiles(): Promise<Record<string, string>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gangway-generate-'))
  try {
    const config = readConfig({ GANGWAY_DATA_DIR: dataDir, GANGWAY_LOG_LEVEL: 'warn' })
    const log = await createLog(config.logLevel)
    await using database = await openDatabase({ dataDir, log, settings: { fsync: 'off' } })
    const schema = await describeSchema(database.pool)
    const ctx = await createContext(config, log, database, database.keys)
    return {
      'README.md': describeSettings(await readFile(readme, 'utf8')),
      'schema.sql': schema,
      'openapi.json': `${JSON.stringify(describeApi(apiRoutes(ctx, createParts(ctx)), version, words), null, 2)}\n`,
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
