import { systemZone } from '../../format.ts'
import type { Catalogue } from '../../words/catalogue.ts'
import type { OwnerZone } from './use-owner-zones.ts'

interface Zones {
  /** The zone of the address; empty for that of the viewer. */
  chosen: string
  viewer: string
  /** The zones of what is shown. */
  owners: OwnerZone[]
}

type Words = Pick<Catalogue['explore'], 'zoneOfViewer' | 'zoneOfOwner'>

/** Options of the time zone: that of the viewer, those of what is shown, the usual ones, and all others. */
export function zoneOptions({ chosen, viewer, owners }: Zones, words: Words) {
  const names = new Set([chosen, 'UTC', systemZone(), ...Intl.supportedValuesOf('timeZone')].filter(Boolean))
  for (const { zone } of owners) names.delete(zone)
  return [
    { value: '', label: words.zoneOfViewer(viewer) },
    ...owners.map(({ zone, owner }) => ({ value: zone, label: words.zoneOfOwner(owner, zone) })),
    ...[...names].map((name) => ({ value: name, label: name })),
  ]
}
