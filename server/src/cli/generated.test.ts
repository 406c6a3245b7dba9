import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startPlatform } from '../../test/harness/platform.ts'
import { describeSchema } from '../database/describe-schema.ts'
import { describeApi } from '../http/openapi.ts'
import { apiRoutes } from '../routes.ts'
import { words } from '../system/words.ts'
import { version } from '../version.ts'

const committed = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8')

test('openapi.json and schema.sql are up to date: `npm run generate` writes them', async () => {
  await using platform = await startPlatform()
  const api = `${JSON.stringify(describeApi(apiRoutes(platform.ctx, platform.parts), version, words), null, 2)}\n`
  // Compared as a whole first: the difference of two long texts takes minutes to print.
  expect(api === committed('openapi.json')).toBe(true)
  expect((await describeSchema(platform.ctx.pool)) === committed('schema.sql')).toBe(true)
})
