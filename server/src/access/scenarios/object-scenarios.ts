/** Scenarios that all types of objects of an organization share. */
import type { ResourceType } from '../schema.ts'
import type { Privilege } from '../privileges.ts'
import type { Scenario } from './scenario.ts'

/** @param privilege the privilege that manages objects of the type */
export function objectScenarios(type: ResourceType, privilege: Privilege): Scenario[] {
  const object = `${type}:x`
  const belongs = `organization:north parent ${object}`
  const all = (user: string) =>
    ['view', 'manage', 'delete', 'share'].map((verb) => `user:${user} ${verb} ${object}`)
  const manager = privilege.replace(/ment$/, 'r')
  const other = type === 'alarm' ? 'asset_manager' : 'alarm_manager'
  return [
    {
      name: `the relations of ${type}`,
      tuples: [
        belongs,
        `user:ann viewer ${object}`,
        `user:bob manager ${object}`,
        `user:cid owner ${object}`,
      ],
      true: [
        `user:ann view ${object}`,
        ...all('bob').filter((claim) => !claim.includes(' delete ')),
        ...all('cid'),
      ],
      false: [...all('ann').slice(1), `user:bob delete ${object}`, ...all('dan')],
    },
    {
      name: `whoever holds ${privilege} in its organization or above may do everything with ${type}`,
      tuples: [
        belongs,
        `user:ann ${manager} organization:north`,
        `user:bob ${manager} organization:root`,
        `user:cid ${other} organization:north`,
        'user:dan viewer organization:root',
      ],
      true: [...all('ann'), ...all('bob'), `user:dan view ${object}`],
      false: [...all('cid').slice(1), ...all('dan').slice(1)],
    },
  ]
}
