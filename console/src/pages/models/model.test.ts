import { ApiError } from '@gangway/client'
import { expect, test } from 'vitest'
import { changeId, listBases, listOutline, nextVersionId, readDtdlVersion, splitId } from './model.ts'
import { placeProblems, readModelProblems } from './placed-problems.ts'

const definition = {
  '@context': ['dtmi:dtdl:context;3', 'dtmi:dtdl:extension:quantitativeTypes;1'],
  '@id': 'dtmi:a:Pump;2',
  '@type': 'Interface',
  extends: ['dtmi:a:Base;1', { '@id': 'dtmi:a:Other;1' }],
  contents: [
    { '@type': ['Telemetry', 'Temperature'], name: 't', schema: 'number' },
    { '@type': 'Property', name: 'p', schema: { '@type': 'Enum', valueSchema: 'string' } },
  ],
}
const text = `${JSON.stringify(definition, null, 2)}\n`

test('an id is divided into base and version, and the next version follows all existing ones', () => {
  expect(splitId('dtmi:a:Pump;2')).toEqual({ base: 'dtmi:a:Pump', version: '2' })
  expect(nextVersionId('dtmi:a:Pump;2', ['dtmi:a:Pump;7', 'dtmi:a:Pump2;9'])).toBe('dtmi:a:Pump;8')
  expect(changeId(text, 'dtmi:a:Pump;2', 'dtmi:a:Pump;3')).toBe(text.replace('Pump;2', 'Pump;3'))
})

test('the DTDL version, the extended models and the contents of a definition are read', () => {
  expect(readDtdlVersion(definition)).toBe('3')
  expect(listBases(definition)).toEqual(['dtmi:a:Base;1', 'dtmi:a:Other;1'])
  expect(listOutline(definition)).toEqual([
    { path: 'contents.0', kind: 'Telemetry', name: 't', schema: 'number' },
    { path: 'contents.1', kind: 'Property', name: 'p', schema: 'Enum' },
  ])
  expect(listOutline({ contents: { '@type': 'Command', name: 'c' } })).toEqual([
    { path: 'contents', kind: 'Command', name: 'c', schema: '' },
  ])
})

test('problems have a line and a column, and disappear when their text changes', () => {
  const issues = [
    { path: 'definition.contents.0.schema', message: 'is no schema' },
    { path: 'definition.contents.1.unit', message: 'is missing' },
  ]
  const error = new ApiError('m', {
    status: 400,
    code: 'validation_error',
    details: { issues },
    requestId: undefined,
    retryAfterSeconds: undefined,
    request: 'POST /v1/models',
  })
  const { placed, isComplete } = readModelProblems(error, text)
  expect(isComplete).toBe(true)
  const shown = placeProblems(text, placed)
  expect(shown.map(({ line, path }) => [line, path])).toEqual([
    ['21:17', 'contents.0.schema'],
    ['23:5', 'contents.1.unit'],
  ])
  const moved = text.replace('"@type": "Interface"', '"@type": "Interface",\n  "displayName": "P"')
  expect(placeProblems(moved, placed).map(({ line }) => line)).toEqual(['22:17', '24:5'])
  const mended = moved.replace('"number"', '"double"')
  expect(placeProblems(mended, placed).map(({ path }) => path)).toEqual(['contents.1.unit'])
  expect(placeProblems('{', placed)).toEqual([])
})
