import { expect, test } from 'vitest'
import { deadLetterReasons } from '../../../../server/src/ingest/unreadable.ts'
import { stepCodes } from '../../../../server/src/onboarding/trace/step-codes.ts'
import deDevices from '../../words/de/devices.ts'
import deDoctor from '../../words/de/doctor.ts'
import enDevices from '../../words/en/devices.ts'
import enDoctor from '../../words/en/doctor.ts'

const faultySteps = Object.entries(stepCodes)
  .filter(([, step]) => 'action' in step)
  .map(([code]) => code)

test.each([
  ['English', enDoctor],
  ['German', deDoctor],
])('the doctor has a name and a text for each fault of the server, in %s', (_, { faults }) => {
  expect(faultySteps.length).toBeGreaterThan(40)
  const nameless = [...faultySteps, ...deadLetterReasons].filter(
    (code) => !faults[code]?.name || !faults[code].text,
  )
  expect(nameless).toEqual([])
})

test.each([
  ['English', enDevices],
  ['German', deDevices],
])('the messages of a device have a name for each reason of a dead letter, in %s', (_, words) => {
  expect(deadLetterReasons.filter((code) => !words.messages.reasons[code])).toEqual([])
})
