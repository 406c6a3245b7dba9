/** The long steps of packaging: they install packages, so they are no part of `npm test`. */
import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['server/test/packaging/steps/*.test.ts'],
    exclude: [],
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
})
