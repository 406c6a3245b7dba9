import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { lazyPart } from '../../load-part.ts'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { DraftBar } from '../../parts/draft/DraftBar.tsx'
import { useDraft } from '../../parts/draft/use-draft.ts'
import { DetailLayout } from '../../parts/layout/DetailLayout.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import {
  type Binding,
  type BindingEntry,
  type Endpoint,
  formatEndpoint,
  type Kind,
  labelEndpoint,
  startValues,
  writeEntry,
} from './binding.ts'
import { BindingForm, useOutgoing, useSamples } from './BindingForm.tsx'
import { EndpointFacts, LastError, RemoveBinding, WhyReadOnly } from './EditorFacts.tsx'
import { countProblems, readProblems } from './problems.ts'
import { useBindings, useContents, useMayManage } from './use-bindings.ts'
import { type PreviewRequest, usePreview } from './use-preview.ts'
import { useSave } from './use-save.ts'

const RawBinding = lazyPart(() => import('./RawBinding.tsx'))

export default function BindingEditor() {
  const path = useParams({ strict: false }) as Record<'assetId' | 'componentId' | 'kind' | 'name', string>
  const words = useWords('bindings')
  const endpoint: Endpoint = {
    instanceId: path.assetId,
    component: path.componentId,
    kind: path.kind as Kind,
    name: path.name,
  }
  const id = formatEndpoint(endpoint)
  const { bindings, asset } = useBindings(path.assetId)
  if (bindings.isPending || asset.isPending) return <Loading />
  if (bindings.data === undefined)
    return <Failed error={bindings.error} onRetry={() => void bindings.refetch()} />
  const { unboundEndpointIds, ignoreEndpointIds } = bindings.data
  const binding = bindings.data.bindings.find(({ localEndpointId }) => localEndpointId === id)
  if (binding === undefined && !unboundEndpointIds.includes(id) && !ignoreEndpointIds.includes(id))
    return (
      <Empty
        icon="models"
        title={words.noEndpointTitle}
        text={words.noEndpointText(labelEndpoint(endpoint))}
      />
    )
  return (
    <Editor
      key={id}
      endpoint={endpoint}
      binding={binding}
      isIgnored={ignoreEndpointIds.includes(id)}
      assetName={asset.data?.displayName ?? path.assetId}
      modelId={asset.data?.modelId}
    />
  )
}

interface Props {
  endpoint: Endpoint
  binding: Binding | undefined
  isIgnored: boolean
  assetName: string
  modelId: string | undefined
}

const fields = { tab: choice(['form', 'json']) }

function Editor({ endpoint, binding, isIgnored, assetName, modelId }: Props) {
  const words = useWords('bindings')
  const { instanceId: assetId, kind, component, name } = endpoint
  const [{ tab }, change] = useUrlState(fields)
  const content = useContents(modelId).find(
    (one) => one.kind === kind && one.name === name && (one.componentId ?? '-') === component,
  )
  const saved = JSON.stringify(startValues(binding, endpoint))
  const draft = useDraft({
    name: `binding-${formatEndpoint(endpoint)}`,
    initial: useMemo(() => JSON.parse(saved) as ReturnType<typeof startValues>, [saved]),
  })
  const mayManage = useMayManage(assetId)
  const isReadOnly = mayManage === false
  const entry = writeEntry(draft.values, endpoint, binding)
  const samples = useSamples(draft.values.sources.map((source) => source.name))
  const outgoing = useOutgoing()
  const preview = usePreview(assetId, mayManage === true ? entry : undefined, {
    samples: samples.values,
    outgoing: outgoing.value,
  })
  const save = useSave(assetId)
  const error = preview.query.error ?? save.failure
  const problems = useMemo(() => readProblems(error), [error])
  const count = countProblems(problems)
  const onSave = async () => {
    const answer = await save.run(entry!)
    const kept = answer?.bindings.find(({ localEndpointId }) => localEndpointId === entry!.localEndpointId)
    if (kept !== undefined) draft.change(startValues(kept, endpoint))
  }
  return (
    <DetailLayout
      parent={{ title: words.title(assetName), link: links.bindings(assetId) }}
      title={labelEndpoint(endpoint)}
      label={labelEndpoint(endpoint)}
      facts={<EndpointFacts {...{ endpoint, binding, isIgnored, content }} />}
      actions={
        <>
          <CodeExamples requests={listRequests(assetId, entry, preview.body)} />
          {binding !== undefined && <RemoveBinding endpoint={endpoint} isDisabled={mayManage !== true} />}
        </>
      }
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        {
          id: 'form',
          title: words.form,
          render: () => (
            <BindingForm
              {...{ endpoint, content, draft, problems, isReadOnly, preview, samples, outgoing }}
            />
          ),
        },
        {
          id: 'json',
          title: words.raw,
          render: () => (
            <RawBinding
              values={draft.values}
              entry={entry}
              isReadOnly={isReadOnly}
              onChange={draft.change}
              undo={{ onUndo: draft.undo, onRedo: draft.redo }}
            />
          ),
        },
      ]}
    >
      <DraftBar
        draft={draft}
        saveLabel={words.save}
        isSaving={save.isRunning}
        blocked={isReadOnly ? words.readOnly : entry === undefined ? words.wrongLogic : undefined}
        problems={count}
        onSave={() => void onSave()}
      >
        {isReadOnly && <WhyReadOnly assetId={assetId} />}
      </DraftBar>
      {error !== null && (count === 0 || problems.other.length > 0) && <Refusal error={error} />}
      {binding?.lastError !== undefined && (
        <Notice kind="warning">
          <LastError error={binding.lastError} />
        </Notice>
      )}
    </DetailLayout>
  )
}

const listRequests = (assetId: string, entry: BindingEntry | undefined, preview: PreviewRequest | null) => [
  ...(preview === null
    ? [example('get', '/v1/assets/{assetId}/bindings', { path: { assetId } })]
    : [example('post', '/v1/assets/{assetId}/bindings/preview', { path: { assetId }, body: preview })]),
  ...(entry === undefined
    ? []
    : [
        example('post', '/v1/assets/{assetId}/bind', {
          path: { assetId },
          body: { endpointBindings: [entry] },
        }),
      ]),
]
