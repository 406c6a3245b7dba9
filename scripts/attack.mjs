import { build } from './build.mjs'

build('attack')
await import('../attack/dist/main.js')
