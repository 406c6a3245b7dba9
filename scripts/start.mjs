// Builds what is stale, then runs plain JavaScript in this process. Under npm it replaces the shell, by
// `exec`, since npm forwards signals only to its child.
import { build } from './build.mjs'

await build('server', 'console')
await import('../server/dist/bundle/main.js')
