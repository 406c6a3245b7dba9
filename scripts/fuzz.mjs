import { build } from './build.mjs'

await build('attack')
await import('../attack/dist/fuzz/main.js')
