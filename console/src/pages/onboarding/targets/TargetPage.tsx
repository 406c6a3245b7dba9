import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { Id } from '../../../parts/Id.tsx'
import { DetailLayout } from '../../../parts/layout/DetailLayout.tsx'
import { Failed, Loading, Notice } from '../../../parts/State.tsx'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { choice, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { findOwnProvider } from '../first-device/setup.ts'
import { type Target, useGroups } from '../use-groups.ts'
import { DeleteTarget } from './DeleteTarget.tsx'
import { type TargetBody, TargetForm } from './TargetForm.tsx'
import { type OwnPlatform, readTarget } from './target-values.ts'
import { UsingGroups } from './UsingGroups.tsx'
import { useOwnPlatform } from './use-own-platform.ts'

const fields = { tab: choice(['settings', 'groups']) }

export default function TargetPage() {
  const { targetId } = useParams({ strict: false }) as { targetId: string }
  const api = useApi()
  const common = useWords('common')
  const { own } = useOwnPlatform()
  const target = useQuery({
    queryKey: ['target', targetId],
    queryFn: ({ signal }) =>
      api.get('/api/routing-targets/{id}', { path: { id: targetId }, signal: withTimeout(signal) }),
  })
  if (target.data === undefined && target.error !== null)
    return <Failed isPage error={target.error} onRetry={() => void target.refetch()} />
  if (target.data === undefined || own === undefined) return <Loading />
  return (
    <>
      {target.error !== null && <Notice kind="warning">{common.refreshFailed}</Notice>}
      <TargetDetail key={targetId} target={target.data} own={own} />
    </>
  )
}

function TargetDetail({ target, own }: { target: Target; own: OwnPlatform }) {
  const words = useWords('targets')
  const format = useFormat()
  const [{ tab }, change] = useUrlState(fields)
  const { groups, isCut, query } = useGroups()
  const using = groups?.filter(({ routing_target_id: id }) => id === target.id)
  const ownProvider = findOwnProvider(target, own.http)
  const path = { id: target.id }
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.targets() }}
      title={target.name}
      label={target.name}
      facts={
        <>
          <span>{ownProvider === null ? words.otherService : words.ownNamed(ownProvider)}</span>
          <span>
            {words.created} <RelativeTime at={target.created_at} />
          </span>
          <Id value={target.id} name={words.id} />
        </>
      }
      actions={
        <>
          <CodeExamples requests={[example('get', '/api/routing-targets/{id}', { path })]} />
          <DeleteTarget target={target} using={using} />
        </>
      }
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        { id: 'settings', title: words.settings, render: () => <Settings target={target} own={own} /> },
        {
          id: 'groups',
          title: words.groups,
          count: using && format.number(using.length) + (isCut ? '+' : ''),
          render: () => <UsingGroups target={target} using={using} isCut={isCut} query={query} />,
        },
      ]}
    />
  )
}

function Settings({ target, own }: { target: Target; own: OwnPlatform }) {
  const words = useWords('targets')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  // Keeps the target from the start of editing, even if it is reloaded.
  const [saved, setSaved] = useState(target)
  const [isSaved, setDone] = useState(false)
  const save = async (body: TargetBody) => {
    const changed = await api.put('/api/routing-targets/{id}', {
      path: { id: target.id },
      body,
      signal: withTimeout(),
    })
    cache.setQueryData(['target', target.id], changed)
    void cache.invalidateQueries({ queryKey: ['targets'] })
    setSaved(changed)
    setDone(true)
  }
  return (
    <>
      {isSaved && <Notice kind="info">{common.saved}</Notice>}
      <TargetForm
        key={JSON.stringify(saved)}
        own={own}
        initial={readTarget(saved, own)}
        saved={saved}
        action={words.save}
        onSave={save}
      />
    </>
  )
}
