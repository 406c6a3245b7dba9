/** Cases in which the platform's verdict is not that of the specification, with the reason of each. [docs/models#dtdl] */
import type { Allowed } from './case.ts'

/** By what a case is: the versions for which the platform decides otherwise. */
export const exceptions: Record<string, { versions: Exclude<Allowed, 'neither'>; reason: string }> = {
  'a reference as an object of @id': {
    versions: 'both',
    reason: 'Other tools of JSON-LD write references so, and it can mean nothing else.',
  },
  'a target as an object of @id': {
    versions: 'both',
    reason: 'Other tools of JSON-LD write references so, and it can mean nothing else.',
  },
  'a request that may be null': {
    versions: 'both',
    reason: 'A field of DTDL v4, by which the platform invokes a command without a payload.',
  },
  'a response that may be null': {
    versions: 'both',
    reason: 'A field of DTDL v4, by which the platform accepts an answer of null.',
  },
  'a quantity without unit': {
    versions: 'both',
    reason: 'A number is usable without its unit, and the unit may be unknown when a model is written.',
  },
  'a unit without a quantity': {
    versions: 'both',
    reason: 'The unit is shown beside the values, which needs no quantity.',
  },
  'an index twice': {
    versions: 'v3',
    reason: 'The platform does not use the index of the extension mqtt.',
  },
  'a topic that is not one': {
    versions: 'v3',
    reason:
      'The platform does not use the topics of the extension mqtt; those of a client come from its template.',
  },
  'an id without version': {
    versions: 'v3',
    reason: 'A new version of a model is a new DTMI, so each has a version.',
  },
  '1,001 contents': { versions: 'v3', reason: 'A bound of memory: 1,000 contents of an interface.' },
  '1,001 values': { versions: 'v3', reason: 'A bound of memory: 1,000 values of an enum.' },
  'a schema in one content that another one names': {
    versions: 'both',
    reason: 'Only the schemas of the interface have a name; each can stand there.',
  },
}
