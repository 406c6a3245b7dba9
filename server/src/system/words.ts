/** What the OpenAPI description says beyond the routes and their schemas. */
import type { Words } from '../http/openapi.ts'
import { requestExamples } from './examples.ts'
import { glossary } from './glossary.ts'
import { sampleValues } from './sample-values.ts'

export const words: Words = { requestExamples, glossary, sampleValues }
