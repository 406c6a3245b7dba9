import type { Answer, Body } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { useWords } from '../../words/words.tsx'
import { Loading } from '../State.tsx'
import styles from './WhyPanel.module.css'

type Question = Body<'post', '/v1/permissions/explain'>
export type AskedPermission = Pick<Question, 'resourceType' | 'resourceId' | 'permission'>

/** Which permission is missing, and what would give it. */
export function Permission({ asked }: { asked: AskedPermission }) {
  const words = useWords('common')
  const { data, isPending } = useExplainedPermission(asked)
  if (isPending) return <Loading rows={2} />
  if (data?.result) return null
  const thing = `${asked.resourceType} ${asked.resourceId}`
  return (
    <div className={styles.permission}>
      <p>{words.missingPermission(asked.permission, thing)}</p>
      {data !== undefined && <Ways answer={data} />}
    </div>
  )
}

function Ways({ answer }: { answer: Answer<'post', '/v1/permissions/explain'> }) {
  const words = useWords('common')
  const ways = [
    ...answer.missing.map(({ relation, resourceType, resourceId }) => ({
      text: words.relation(relation, resourceType),
      id: resourceId,
    })),
    ...answer.withoutPrivilege.map(({ privilege, type, id }) => ({
      text: words.missingPrivilege(privilege, type),
      id,
    })),
  ]
  if (ways.length === 0) return null
  return (
    <>
      <p>{words.whoCanGive}</p>
      <ul className={styles.ways}>
        {ways.map(({ text, id }) => (
          <li key={`${text} ${id}`}>
            {text} <code>{id}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Whether the user has a permission, and why or why not. */
export function useExplainedPermission(asked: AskedPermission) {
  const api = useApi()
  const user = useUser()
  return useQuery({
    queryKey: ['explain', user.id, asked],
    queryFn: () =>
      api.post('/v1/permissions/explain', { body: { subjectType: 'user', subjectId: user.id, ...asked } }),
    staleTime: 60_000,
  })
}
