/** Texts of the OpenAPI description that are not in the routes and their schemas. */
import type { ApiTexts } from '../http/openapi.ts'
import { requestExamples } from './examples.ts'
import { glossary } from './glossary.ts'
import { sampleValues } from './sample-values.ts'

export const words: ApiTexts = { requestExamples, glossary, sampleValues }
