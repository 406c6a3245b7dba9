// @ts-expect-error -- plain JavaScript, shared with the start script
import { compile } from '../../scripts/build.mjs'

/** The server serves what is built. */
export default async function setUp() {
  if (!(await compile('console')))
    throw new Error('The console does not compile; the compiler said why above.')
}
