import { useParams, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { example } from '../../parts/code/example.ts'
import { Failed, Loading, Notice } from '../../parts/State.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { type Model, writeDefinition } from './model.ts'
import { ModelEditor, startModelDraft } from './ModelEditor.tsx'
import styles from './Models.module.css'
import { useIsUsed, useModel } from './use-model.ts'
import { useSaveModel } from './use-save-model.ts'
import { WhyNot } from './WhyNot.tsx'

const route = '/v1/models/{modelId}'

export default function EditModel() {
  const { modelId } = useParams({ strict: false }) as { modelId: string }
  const model = useModel(modelId)
  if (model.isPending) return <Loading />
  if (model.data === undefined) return <Failed error={model.error} onRetry={() => void model.refetch()} />
  return <Editor key={modelId} model={model.data} />
}

function Editor({ model }: { model: Model }) {
  const words = useWords('models')
  const api = useApi()
  const router = useRouter()
  const path = { modelId: model.id }
  const asked = { resourceType: 'model', resourceId: model.id, permission: 'manage' } as const
  const permission = useExplainedPermission(asked)
  const isReadOnly = permission.data?.result === false
  const isUsed = useIsUsed(model.id)
  const save = useSaveModel(({ displayName, description }, definition) =>
    api.put(route, {
      path,
      body: { displayName: displayName.trim(), description: description.trim() || null, definition },
      signal: withTimeout(),
    }),
  )
  // Keeps the definition from the start of editing, even if the model is reloaded.
  const [initial] = useState(() => startModelDraft(model, writeDefinition(model.definition)))
  return (
    <ModelEditor
      title={words.editTitle(model.displayName)}
      parent={{ title: model.displayName, link: links.model(model.id) }}
      name={`model-${model.id}`}
      initial={initial}
      save={save}
      saveLabel={words.save}
      isReadOnly={isReadOnly}
      blocked={
        isReadOnly
          ? { text: words.mayNotManage, action: <WhyNot reason={words.mayNotManage} asked={asked} /> }
          : undefined
      }
      notice={() =>
        isUsed && (
          <div className={styles.notice}>
            <Notice kind="info">{words.inUse}</Notice>
            <CreateButton
              isPlain
              privilege="model_management"
              onClick={() => void router.navigate(links.createModel({ from: model.id }) as never)}
            >
              {words.newVersion}
            </CreateButton>
          </div>
        )
      }
      requests={(body) => [example('put', route, { path, body })]}
    />
  )
}
