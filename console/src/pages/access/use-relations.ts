import { ApiError, type Gangway } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { postPage } from '../../api/post-page.ts'
import type { RowSource } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { withTimeout } from '../devices/timeout.ts'
import { listedTypes, type ObjectRef, type ObjectType, type SubjectType, type Tuple } from './objects.ts'

const PAGE = 100
/** The id of the only environment. */
export const ENVIRONMENT = 'environment'

/** The relations that are written on an object. */
export function useRelationsOn({ type, id }: ObjectRef): RowSource<Tuple> {
  const api = useApi()
  return usePagedList<Tuple>(['relations', 'on', type, id], async (cursor, signal) => {
    const { answer, cursor: next } = await postPage(api, '/v1/relations/query', {
      query: { limit: PAGE, cursor },
      body: { resourceType: type as ObjectType, optionalResourceId: id },
      signal: withTimeout(signal),
    })
    return { items: answer, cursor: next }
  })
}

/** The API lists the relations of a subject one type of object at a time. */
const searchedTypes: ObjectType[] = ['environment', 'tenant', 'organization', 'group', ...listedTypes].filter(
  (type, index, all) => all.indexOf(type) === index,
) as ObjectType[]

/**
 * The relations that a subject has, over all types of objects.
 * @returns also the types whose relations the user may not see
 */
export function useRelationsOf(subject: { type: SubjectType; id: string }) {
  const api = useApi()
  const cache = useQueryClient()
  const key = ['relations', 'of', subject.type, subject.id]
  const source = usePagedList<Tuple>(key, (cursor, signal) =>
    readRelationsOf(api, { subject, cursor, signal: withTimeout(signal) }),
  )
  const read = cache.getQueryData<{ pages: { closed: ObjectType[] }[] }>(key)
  return { source, closed: (read?.pages ?? []).flatMap((page) => page.closed) }
}

/** Reads on from the type that the cursor names until there are relations to show. */
async function readRelationsOf(
  api: Gangway,
  {
    subject,
    cursor,
    signal,
  }: { subject: { type: SubjectType; id: string }; cursor: string | undefined; signal: AbortSignal },
) {
  const closed: ObjectType[] = []
  const [first = '0', inType = ''] = cursor?.split(' ') ?? []
  let from: string | undefined = inType || undefined
  for (let index = Number(first); index < searchedTypes.length; index++) {
    const type = searchedTypes[index]!
    const page = await postPage(api, '/v1/relations/query', {
      query: { limit: PAGE, cursor: from },
      body: {
        resourceType: type,
        // There is one environment; without its id the API asks for one that has the tenant's.
        ...(type === 'environment' && { optionalResourceId: ENVIRONMENT }),
        optionalSubjectFilter: { subjectType: subject.type, optionalSubjectId: subject.id },
      },
      signal,
    }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || ![403, 404].includes(error.status)) throw error
      closed.push(type)
      return { answer: [], cursor: null }
    })
    from = undefined
    // What the platform writes about a subject, such as that it contains an asset, is shown on that object.
    const items = page.answer.filter(({ relation }) => relation !== 'parent')
    const next =
      page.cursor !== null
        ? `${index} ${page.cursor}`
        : index + 1 < searchedTypes.length
          ? `${index + 1}`
          : null
    if (items.length > 0 || next === null) return { items, cursor: next, closed }
    if (page.cursor !== null) {
      from = page.cursor
      index--
    }
  }
  return { items: [], cursor: null, closed }
}
