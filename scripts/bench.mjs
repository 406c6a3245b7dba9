import { build } from './build.mjs'

build('bench')
await import('../bench/dist/main.js')
