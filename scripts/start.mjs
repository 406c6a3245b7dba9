// Builds what is stale, then runs plain JavaScript in this very process. Under npm it stands in place of the shell, by
// `exec`: npm passes signals to its child alone.
import { build } from './build.mjs'

await build('server')
await import('../server/dist/bundle/main.js')
