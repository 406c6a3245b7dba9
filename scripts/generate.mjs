// Writes what is generated and committed: openapi.json from the routes, schema.sql from the migrations, the table of
// settings in README.md from config.ts, the types of the client from openapi.json, the model of bench/figures
// and the tables of docs/scaling.md from what was measured. With --check it only compares.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeTypes } from '../client/scripts/describe-types.mjs'
import { build, root } from './build.mjs'

await build('bench')
const { generateFiles } = await import('../server/dist/cli/generated.js')

const files = await generateFiles()
files['client/src/generated/api.ts'] = await describeTypes(files['openapi.json'])
const { writeDocument } = await import('../bench/dist/scaling/document.js')
const { compareAll } = await import('../bench/dist/scaling/compare.js')
const { readFigures } = await import('../bench/dist/scaling/figures.js')
const { readModel, renewModel, writeModel } = await import('../bench/dist/scaling/model.js')
const figures = readFigures()
const model = renewModel(figures, readModel())
files['bench/figures/scaling-model.json'] = writeModel(model)
files['docs/scaling.md'] = writeDocument(readFileSync(join(root, 'docs/scaling.md'), 'utf8'), {
  figures,
  model,
  compared: compareAll(figures, model),
})

const stale = []
for (const [name, text] of Object.entries(files)) {
  const path = join(root, name)
  if (process.argv.includes('--check')) {
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) stale.push(name)
  } else writeFileSync(path, text)
}
if (stale.length > 0) {
  console.error(`Not up to date: ${stale.join(', ')}. Run \`npm run generate\` and commit the result.`)
  process.exit(1)
}
