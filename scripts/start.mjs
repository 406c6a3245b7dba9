// Builds what is stale, then runs plain JavaScript in this very process, so that signals reach it.
import { build } from './build.mjs'

build('server')
await import('../server/dist/main.js')
