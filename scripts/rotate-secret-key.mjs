import { build } from './build.mjs'

await build('server')
const { runRotation } = await import('../server/dist/cli/rotate-secret-key.js')
await runRotation()
