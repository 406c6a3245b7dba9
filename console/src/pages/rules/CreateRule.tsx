import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { newRule, writeBody } from './rule.ts'
import { RuleEditor } from './RuleEditor.tsx'
import { useSaveRule } from './use-save-rule.ts'

const fields = { model: text() }

export default function CreateRule() {
  const words = useWords('rules')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const [{ model }] = useUrlState(fields)
  const [initial] = useState(() => ({ ...newRule, modelId: model }))
  const save = useSaveRule(
    (draft) => api.post('/v1/alarms', { body: writeBody(draft), signal: withTimeout() }),
    async ({ id }) => {
      void cache.invalidateQueries({ queryKey: ['rules'] })
      await router.navigate(links.rule(id) as never)
    },
  )
  return (
    <RuleEditor
      // Each model has a draft of its own: that of another one would watch the wrong assets.
      name={model === '' ? 'rule-new' : `rule-new-${model}`}
      title={words.createTitle}
      facts={words.what}
      actions={(body) => <CodeExamples requests={[example('post', '/v1/alarms', { body })]} />}
      initial={initial}
      saved={null}
      save={save}
    />
  )
}
