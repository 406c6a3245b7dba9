import { useQuery } from '@tanstack/react-query'
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
  const api = useApi()
  const organizations = useQuery({
    queryKey: ['organizations', 'to-choose'],
    queryFn: ({ signal }) =>
      api.get('/v1/organizations', { query: { limit: 200 }, signal: withTimeout(signal) }),
    staleTime: 300_000,
  })
  if (organizations.isPending) return <Loading />
  if (organizations.data === undefined)
    return <Failed error={organizations.error} onRetry={() => void organizations.refetch()} />
  return from === '' ? (
    <NewModel organizations={organizations.data} />
  ) : (
    <NewVersion key={from} from={from} organizations={organizations.data} />
  )
}

interface Organizations {
  organizations: { id: string; displayName: string }[]
}

function NewModel({ organizations }: Organizations) {
  const words = useWords('models')
  const [initial] = useState(() => ({
    displayName: '',
    description: '',
    organizationId: organizations[0]?.id ?? '',
    text: '',
  }))
  return (
    <Create
      name="model-create"
      title={words.create}
      parent={{ title: words.title, link: links.models() }}
      initial={initial}
      organizations={organizations}
      hint={words.createHint}
    />
  )
}

function NewVersion({ from, organizations }: Organizations & { from: string }) {
  const model = useModel(from)
  const versions = useVersions(from)
  if (model.isPending || versions.isPending) return <Loading />
  if (model.data === undefined) return <Failed error={model.error} onRetry={() => void model.refetch()} />
  return (
    <VersionEditor
      model={model.data}
      existing={versions.data?.map(({ id }) => id) ?? []}
      organizations={organizations}
    />
  )
}

function VersionEditor({
  model,
  existing,
  organizations,
}: Organizations & { model: Model; existing: string[] }) {
  const words = useWords('models')
  const [{ initial, id }] = useState(() => {
    const next = nextVersionId(model.id, existing)
    const changed = changeId(writeDefinition(model.definition), model.id, next)
    return { id: next, initial: startModelDraft(model, changed) }
  })
  return (
    <Create
      name={`model-version-${model.id}`}
      title={words.versionTitle(splitId(id).version, model.displayName)}
      parent={{ title: model.displayName, link: links.model(model.id) }}
      initial={initial}
      organizations={organizations}
      hint={words.versionHint(id)}
      isReady
    />
  )
}

interface CreateProps extends Organizations {
  name: string
  title: string
  parent: { title: string; link: ReturnType<typeof links.models> | ReturnType<typeof links.model> }
  initial: ModelDraft
  hint: string
  /** Whether the draft can be saved without a change. */
  isReady?: boolean
}

function Create({ hint, initial, organizations, isReady = false, ...props }: CreateProps) {
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
      initial={initial}
      save={save}
      saveLabel={words.saveNew}
      isReady={isReady}
      organizations={organizations}
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
      requests={(body) => [
        example('post', '/v1/models', { body: { organizationId: initial.organizationId, ...body } as never }),
      ]}
    />
  )
}
