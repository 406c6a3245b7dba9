import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { DeleteButton } from '../../parts/DeleteButton.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { useSaveOver } from '../../parts/draft/use-save-over.ts'
import { Id } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { Severity } from '../../parts/StateMark.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { WhyNot } from '../models/WhyNot.tsx'
import { type Rule, startDraft, writeBody } from './rule.ts'
import { RuleEditor } from './RuleEditor.tsx'
import { useSaveRule } from './use-save-rule.ts'

const route = '/v1/alarms/{alarmId}'

export default function RulePage() {
  const { alarmId } = useParams({ strict: false }) as { alarmId: string }
  const api = useApi()
  const rule = useQuery({
    queryKey: ['rule', alarmId],
    queryFn: ({ signal }) => api.get(route, { path: { alarmId }, signal: withTimeout(signal) }),
  })
  if (rule.isPending) return <Loading />
  if (rule.data === undefined) return <Failed isPage error={rule.error} onRetry={() => void rule.refetch()} />
  return <SavedRule key={alarmId} rule={rule.data} />
}

function SavedRule({ rule }: { rule: Rule }) {
  const words = useWords('rules')
  const { pages } = useWords('shell')
  const api = useApi()
  const cache = useQueryClient()
  const path = { alarmId: rule.id }
  const asked = { resourceType: 'alarm', resourceId: rule.id, permission: 'manage' } as const
  const isReadOnly = useExplainedPermission(asked).data?.result === false
  const initial = useMemo(() => startDraft(rule), [rule])
  const saveOver = useSaveOver({
    queryKey: ['rule', rule.id],
    read: () => api.get(route, { path, signal: withTimeout() }),
    start: startDraft,
  })
  const save = useSaveRule(
    // PUT replaces the whole rule.
    async (draft) =>
      api.put(route, { path, body: writeBody(await saveOver(draft, initial)), signal: withTimeout() }),
    (saved) => {
      cache.setQueryData(['rule', rule.id], saved)
      void cache.invalidateQueries({ queryKey: ['rules'] })
    },
  )
  return (
    <RuleEditor
      ruleId={rule.id}
      name={`rule-${rule.id}`}
      title={rule.name}
      facts={
        <>
          <Severity severity={rule.severity} />
          <PageAnchor link={links.alarms({ rule: rule.id })}>{words.itsAlarms}</PageAnchor>
          <PageAnchor link={links.notifications({ rule: rule.id })}>{words.itsNotifications}</PageAnchor>
          <PageAnchor link={links.access('alarm', rule.id)}>{pages.access}</PageAnchor>
          <Id value={rule.id} name={words.id} />
        </>
      }
      actions={(body) => (
        <>
          <CodeExamples requests={[example('put', route, { path, body })]} />
          <DeleteRule rule={rule} isDisabled={isReadOnly} />
        </>
      )}
      initial={initial}
      saved={initial}
      save={save}
      isReadOnly={isReadOnly}
      why={isReadOnly && <WhyNot reason={words.readOnly} asked={asked} />}
    />
  )
}

function DeleteRule({ rule, isDisabled }: { rule: Rule; isDisabled: boolean }) {
  const { remove: words } = useWords('rules')
  const api = useApi()
  return (
    <DeleteButton
      action={words.action}
      title={words.title}
      name={rule.name}
      isDisabled={isDisabled}
      onDelete={() => api.delete(route, { path: { alarmId: rule.id }, signal: withTimeout() })}
      next={links.rules()}
      cached={{ one: ['rule', rule.id], lists: ['rules'] }}
    >
      {words.text}
    </DeleteButton>
  )
}
