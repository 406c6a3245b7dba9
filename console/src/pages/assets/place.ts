import type { Item } from '@gangway/client'
import type { UrlField } from '../../url-state.ts'

/** A node or an asset as it stands in a place of the tree. */
export type TreeChild = Item<'/v1/tree/children'>

/** A node or an asset that contains other things. */
export interface Place {
  type: 'node' | 'asset'
  id: string
}

export const placeOf = ({ type, id }: { type: 'NODE' | 'ASSET'; id: string }): Place => ({
  type: type === 'NODE' ? 'node' : 'asset',
  id,
})

/** Key of a place, such as `node:0190…`; '' for the top of the tree. */
export const placeKey = (place: Place | null) => (place === null ? '' : `${place.type}:${place.id}`)

export function parsePlace(key: string): Place | null {
  const type = key.slice(0, key.indexOf(':'))
  const id = key.slice(type.length + 1)
  return (type === 'node' || type === 'asset') && id !== '' ? { type, id } : null
}

/** Query with which the API lists the contents of a place. */
export const placeQuery = (place: Place | null) =>
  place === null ? {} : { parentType: place.type, parentId: place.id }

/** Address field of a place. */
export const placeField = (): UrlField<Place | null> => ({
  parse: (raw) => parsePlace(raw ?? ''),
  format: (place) => placeKey(place) || undefined,
})
