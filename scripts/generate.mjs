// Writes what is generated and committed: openapi.json from the routes, schema.sql from the migrations, the table of
// settings in README.md from config.ts. With --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, root } from './build.mjs'

await build('server')
const { generateFiles } = await import('../server/dist/cli/generated.js')

const stale = []
for (const [name, text] of Object.entries(await generateFiles())) {
  const path = join(root, name)
  if (process.argv.includes('--check')) {
    if (readFileSync(path, 'utf8') !== text) stale.push(name)
  } else writeFileSync(path, text)
}
if (stale.length > 0) {
  console.error(`Not up to date: ${stale.join(', ')}. Run \`npm run generate\` and commit the result.`)
  process.exit(1)
}
