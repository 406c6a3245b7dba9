import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { example } from '../../parts/code/example.ts'
import { Failed, Loading, Notice } from '../../parts/State.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { changeId, exampleDefinition, type Model, nextVersionId, splitId, writeDefinition } from './model.ts'
import { type ModelDraft, ModelEditor, startModelDraft } from './ModelEditor.tsx'
import styles from './Models.module.css'
import { useModel, useVersions } from './use-model.ts'
import { useSaveModel } from './use-save-model.ts'

/** `from` is the id of the model whose new version is created. */
const fields = { from: text() }

export default function CreateModel() {
  const [{ from }] = useUrlState(fields)
  return from === '' ? <NewModel /> : <NewVersion key={from} from={from} />
}

const nothing: ModelDraft = { displayName: '', description: '', organizationId: '', text: '' }

function NewModel() {
  const words = useWords('models')
  return (
    <Create
      name="model-create"
      title={words.create}
      parent={{ title: words.title, link: links.models() }}
      initial={nothing}
      newIn={{}}
      hint={words.createHint}
    />
  )
}

function NewVersion({ from }: { from: string }) {
  const model = useModel(from)
  const versions = useVersions(from)
  if (model.isPending || versions.isPending) return <Loading />
  if (model.data === undefined) return <Failed error={model.error} onRetry={() => void model.refetch()} />
  return <VersionEditor model={model.data} existing={versions.data?.map(({ id }) => id) ?? []} />
}

function VersionEditor({ model, existing }: { model: Model; existing: string[] }) {
  const words = useWords('models')
  const [{ initial, id }] = useState(() => {
    const next = nextVersionId(model.id, existing)
    const changed = changeId(writeDefinition(model.definition), model.id, next)
    return { id: next, initial: { ...startModelDraft(model, changed), organizationId: '' } }
  })
  return (
    <Create
      name={`model-version-${model.id}`}
      title={words.versionTitle(splitId(id).version, model.displayName)}
      parent={{ title: model.displayName, link: links.model(model.id) }}
      initial={initial}
      newIn={{ preferred: model.organizationId }}
      hint={words.versionHint(id)}
      isReady
    />
  )
}

interface CreateProps {
  name: string
  title: string
  parent: { title: string; link: ReturnType<typeof links.models> | ReturnType<typeof links.model> }
  initial: ModelDraft
  newIn: { preferred?: string }
  hint: string
  /** Whether the draft can be saved without a change. */
  isReady?: boolean
}

function Create({ hint, isReady = false, ...props }: CreateProps) {
  const words = useWords('models')
  const api = useApi()
  const save = useSaveModel(({ displayName, description, organizationId }, definition) =>
    api.post('/v1/models', {
      body: {
        organizationId,
        definition,
        ...(displayName.trim() !== '' && { displayName: displayName.trim() }),
        ...(description.trim() !== '' && { description: description.trim() }),
      },
      signal: withTimeout(),
    }),
  )
  return (
    <ModelEditor
      {...props}
      save={save}
      saveLabel={words.saveNew}
      isReady={isReady}
      notice={({ values, change }) =>
        values.text.trim() === '' || isReady ? (
          <Notice kind="info">
            {hint}{' '}
            {!isReady && (
              <button
                type="button"
                className={styles.link}
                onClick={() => change({ text: writeDefinition(exampleDefinition) })}
              >
                {words.startWithExample}
              </button>
            )}
          </Notice>
        ) : null
      }
      requests={(body) => [example('post', '/v1/models', { body: body as never })]}
    />
  )
}
