import { administer } from './administer.ts'
import { operate } from './operate.ts'
import type { PageRoute } from './page-route.ts'
import { setUp } from './set-up.ts'

/** Every page of the console. The rail follows this order. */
export const routes: PageRoute[] = [...operate, ...setUp, ...administer]
