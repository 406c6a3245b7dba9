import { build } from './build.mjs'

await build('server')
const { runBackup } = await import('../server/dist/cli/backup/run.js')
await runBackup(process.argv.slice(2))
