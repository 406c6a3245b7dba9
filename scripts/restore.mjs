import { build } from './build.mjs'

await build('server')
const { runRestore } = await import('../server/dist/cli/backup/run.js')
await runRestore(process.argv.slice(2))
