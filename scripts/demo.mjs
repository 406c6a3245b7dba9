import { build } from './build.mjs'

await build('demo')
await import('../demo/dist/main.js')
