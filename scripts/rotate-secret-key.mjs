import { build } from './build.mjs'

await build('server')
const { runRotation } = await import('../server/dist/commands/rotate-secret-key.js')
await runRotation()
