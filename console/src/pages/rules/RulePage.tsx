import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { ConfirmByName } from '../../parts/ConfirmByName.tsx'
import { Id } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { Severity } from '../../parts/StateMark.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { WhyNot } from '../models/WhyNot.tsx'
import { type Rule, startDraft } from './rule.ts'
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
  const save = useSaveRule(
    (body) => api.put(route, { path, body, signal: withTimeout() }),
    (saved) => {
      cache.setQueryData(['rule', rule.id], saved)
      void cache.invalidateQueries({ queryKey: ['rules'] })
    },
  )
  return (
    <RuleEditor
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
  const cache = useQueryClient()
  const router = useRouter()
  const [isOpen, dialog] = useDisclosure()
  const remove = async () => {
    await api.delete(route, { path: { alarmId: rule.id }, signal: withTimeout() })
    await router.navigate(links.rules() as never)
    cache.removeQueries({ queryKey: ['rule', rule.id] })
    await cache.invalidateQueries({ queryKey: ['rules'] })
  }
  return (
    <>
      <Button color="red" variant="outline" disabled={isDisabled} onClick={dialog.open}>
        {words.action}
      </Button>
      <ConfirmByName
        isOpen={isOpen}
        onClose={dialog.close}
        title={words.title}
        name={rule.name}
        action={words.action}
        onConfirm={remove}
      >
        {words.text}
      </ConfirmByName>
    </>
  )
}
