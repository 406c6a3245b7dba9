import { Button } from '@mantine/core'
import { useParams, useRouter } from '@tanstack/react-router'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { DeleteButton } from '../../parts/DeleteButton.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { Id } from '../../parts/Id.tsx'
import { DetailLayout } from '../../parts/layout/DetailLayout.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { AssetsTab } from './AssetsTab.tsx'
import { ContentsTab } from './ContentsTab.tsx'
import { listBases, type Model, readDtdlVersion, splitId } from './model.ts'
import styles from './Models.module.css'
import { useModel, useVersions } from './use-model.ts'
import { VersionsTab } from './VersionsTab.tsx'
import { WhyNot } from './WhyNot.tsx'

const DefinitionTab = lazyPart(() => import('./DefinitionTab.tsx'))

const fields = { tab: choice(['contents', 'definition', 'assets', 'versions']) }

export default function ModelPage() {
  const { modelId } = useParams({ strict: false }) as { modelId: string }
  const model = useModel(modelId)
  if (model.isPending) return <Loading />
  if (model.data === undefined) return <Failed error={model.error} onRetry={() => void model.refetch()} />
  return <ModelDetail key={modelId} model={model.data} />
}

function ModelDetail({ model }: { model: Model }) {
  const words = useWords('models')
  const { pages } = useWords('shell')
  const [{ tab }, change] = useUrlState(fields)
  const versions = useVersions(model.id)
  const bases = listBases(model.definition)
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.models() }}
      title={model.displayName}
      label={model.displayName}
      facts={
        <>
          <Id value={model.id} name={words.id} />
          <span>{words.versionOf(splitId(model.id).version)}</span>
          <span>{words.dtdlOf(readDtdlVersion(model.definition))}</span>
          <PageAnchor link={links.access('model', model.id)}>{pages.access}</PageAnchor>
          {bases.length > 0 && (
            <span className={styles.bases}>
              {words.extends}
              {bases.map((base) => (
                <PageAnchor key={base} link={links.model(base)}>
                  <bdi>{base}</bdi>
                </PageAnchor>
              ))}
            </span>
          )}
        </>
      }
      actions={<Actions model={model} />}
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        { id: 'contents', title: words.tabs.contents, render: () => <ContentsTab model={model} /> },
        { id: 'definition', title: words.tabs.definition, render: () => <DefinitionTab model={model} /> },
        { id: 'assets', title: words.tabs.assets, render: () => <AssetsTab modelId={model.id} /> },
        {
          id: 'versions',
          title: words.tabs.versions,
          count: versions.data === undefined ? undefined : String(versions.data.length),
          render: () => <VersionsTab model={model} />,
        },
      ]}
    >
      {model.description !== null && (
        <p className={styles.description}>
          <bdi>{model.description}</bdi>
        </p>
      )}
    </DetailLayout>
  )
}

function Actions({ model }: { model: Model }) {
  const words = useWords('models')
  const router = useRouter()
  const path = { modelId: model.id }
  const asked = { resourceType: 'model', resourceId: model.id } as const
  const manage = useExplainedPermission({ ...asked, permission: 'manage' })
  const remove = useExplainedPermission({ ...asked, permission: 'delete' })
  return (
    <>
      <CodeExamples
        requests={[
          example('get', '/v1/models/{modelId}', { path }),
          example('get', '/v1/models/{modelId}/asset', { path }),
        ]}
      />
      {manage.data?.result === false && (
        <WhyNot reason={words.mayNotManage} asked={{ ...asked, permission: 'manage' }} />
      )}
      <Button
        disabled={manage.data?.result !== true}
        onClick={() => void router.navigate(links.editModel(model.id) as never)}
      >
        {words.edit}
      </Button>
      <CreateButton
        isPlain
        privilege="model_management"
        onClick={() => void router.navigate(links.createModel({ from: model.id }) as never)}
      >
        {words.newVersion}
      </CreateButton>
      <DeleteModel model={model} isDisabled={remove.data?.result !== true} />
    </>
  )
}

function DeleteModel({ model, isDisabled }: { model: Model; isDisabled: boolean }) {
  const { remove: words } = useWords('models')
  const api = useApi()
  return (
    <DeleteButton
      action={words.action}
      title={words.title}
      name={model.id}
      isDisabled={isDisabled}
      onDelete={() =>
        api.delete('/v1/models/{modelId}', { path: { modelId: model.id }, signal: withTimeout() })
      }
      next={links.models()}
      cached={{ one: ['model', model.id], lists: ['models'] }}
    >
      <p>{words.text}</p>
    </DeleteButton>
  )
}
