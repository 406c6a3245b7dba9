import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startPlatform } from '../../test/harness/platform.ts'
import { describeSchema } from '../database/describe-schema.ts'
import { describeApi } from '../http/openapi.ts'
import { apiRoutes } from '../routes.ts'
import { words } from '../system/words.ts'
import { version } from '../version.ts'
import { describeSettings } from './describe-settings.ts'

const committed = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8')

test('the generated files are up to date: `npm run generate` writes them', async () => {
  await using platform = await startPlatform()
  const { ctx, parts } = platform
  const files = {
    'README.md': describeSettings(committed('README.md')),
    'openapi.json': `${JSON.stringify(describeApi(apiRoutes(ctx, parts), version, words), null, 2)}\n`,
    'schema.sql': await describeSchema(ctx.pool),
  }
  // The names alone: the difference of two long texts takes minutes to print.
  const stale = Object.entries(files).filter(([name, text]) => text !== committed(name))
  expect(stale.map(([name]) => name)).toEqual([])
})
