import { expect, test } from 'vitest'
import { parseDuration } from './duration.ts'

const duration = (text: string) => (parseDuration(text) as { duration: unknown }).duration
const problem = (text: string) => (parseDuration(text) as { problem: string }).problem

test.each([
  ['PT1M', 0, 0, 60_000],
  ['PT5M', 0, 0, 300_000],
  ['PT15M', 0, 0, 900_000],
  ['PT1H', 0, 0, 3_600_000],
  ['PT12H', 0, 0, 43_200_000],
  ['P1D', 0, 1, 0],
  ['P1M', 1, 0, 0],
  ['P1Y', 12, 0, 0],
  ['P2W', 0, 14, 0],
  ['P1W2D', 0, 9, 0],
  ['P1Y6M', 18, 0, 0],
  ['P1DT12H', 0, 1, 43_200_000],
  ['PT7M', 0, 0, 420_000],
  ['PT1H30M', 0, 0, 5_400_000],
  ['PT0.5S', 0, 0, 500],
  ['PT0,5H', 0, 0, 1_800_000],
  ['PT1M30.25S', 0, 0, 90_250],
  ['PT36H', 0, 0, 129_600_000],
  ['PT90S', 0, 0, 90_000],
  ['PT0.001S', 0, 0, 1],
  ['P1000Y', 12_000, 0, 0],
])('%s', (text, months, days, ms) => {
  expect(duration(text)).toEqual({ months, days, ms })
})

test.each([
  ['', /ISO 8601/],
  ['P', /ISO 8601/],
  ['PT', /ISO 8601/],
  ['P1DT', /ISO 8601/],
  ['1H', /ISO 8601/],
  ['pt1h', /ISO 8601/],
  ['PT1H1H', /ISO 8601/],
  ['PT1M1H', /ISO 8601/],
  ['P1H', /ISO 8601/],
  ['PT1H ', /ISO 8601/],
  ['PT1H\n', /ISO 8601/],
  ['PT٣M', /ISO 8601/],
  ['-PT1H', /without a sign/],
  ['PT-1H', /ISO 8601/],
  ['PT0S', /longer than zero/],
  ['P0D', /longer than zero/],
  ['P0Y0M0DT0H', /longer than zero/],
  ['P0.5D', /PT12H/],
  ['PT1.5H30M', /last part/],
  ['PT0.0001S', /millisecond/],
  ['P1001Y', /1000 years/],
  ['PT999999999999999H', /1000 years/],
  [`PT${'1'.repeat(100)}S`, /64 characters/],
])('refuses %j', (text, message) => {
  expect(problem(text)).toMatch(message)
})
