import { build } from './build.mjs'

await build('bench')
await import('../bench/dist/main.js')
