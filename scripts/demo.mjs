import { build } from './build.mjs'

build('demo')
await import('../demo/dist/main.js')
