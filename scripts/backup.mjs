import { build } from './build.mjs'

await build('server')
const { runBackup } = await import('../server/dist/commands/backup/run.js')
await runBackup(process.argv.slice(2))
