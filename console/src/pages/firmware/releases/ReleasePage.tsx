import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { DeleteButton } from '../../../parts/DeleteButton.tsx'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { useSaveOver } from '../../../parts/draft/use-save-over.ts'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Id } from '../../../parts/Id.tsx'
import { DetailLayout } from '../../../parts/layout/DetailLayout.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Empty, Failed, Loading, Notice } from '../../../parts/State.tsx'
import { type AskedPermission, useExplainedPermission } from '../../../parts/why/Permission.tsx'
import { choice, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { CreateButton } from '../../access/CreateButton.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { WhyNot } from '../../models/WhyNot.tsx'
import { DeploymentTable } from '../deployments/DeploymentTable.tsx'
import { useDeployments } from '../deployments/use-deployments.ts'
import styles from '../Firmware.module.css'
import { checkRelease, type Release, startRelease, writeRelease } from './release.ts'
import { ReleaseFields } from './ReleaseFields.tsx'

const route = '/v1/firmware/releases/{releaseId}'
const fields = { tab: choice(['edit', 'deployments']) }

export default function ReleasePage() {
  const { releaseId } = useParams({ strict: false }) as { releaseId: string }
  const api = useApi()
  const release = useQuery({
    queryKey: ['release', releaseId],
    queryFn: ({ signal }) => api.get(route, { path: { releaseId }, signal: withTimeout(signal) }),
  })
  if (release.isPending) return <Loading />
  if (release.data === undefined)
    return <Failed isPage error={release.error} onRetry={() => void release.refetch()} />
  return <Detail key={releaseId} release={release.data} />
}

function Detail({ release }: { release: Release }) {
  const { release: words, releases, id: idLabel } = useWords('firmware')
  const { pages } = useWords('shell')
  const router = useRouter()
  const [{ tab }, change] = useUrlState(fields)
  const { id: releaseId, displayName } = release
  const asked = { resourceType: 'firmware', resourceId: releaseId, permission: 'manage' } as const
  const mayManage = useExplainedPermission(asked).data?.result
  return (
    <DetailLayout
      parent={{ title: releases, link: links.releases() }}
      title={displayName}
      label={displayName}
      facts={
        <>
          <Id value={releaseId} name={idLabel} />
          <PageAnchor link={links.devices({ firmware: releaseId })}>{words.devices}</PageAnchor>
          <PageAnchor link={links.access('firmware', releaseId)}>{pages.access}</PageAnchor>
        </>
      }
      actions={
        <>
          <CodeExamples requests={[example('get', route, { path: { releaseId } })]} />
          <CreateButton
            isPlain
            privilege="firmware_management"
            isDisabled={release.fileMissing}
            onClick={() => void router.navigate(links.newDeployment({ release: releaseId }) as never)}
          >
            {words.deploy}
          </CreateButton>
          <DeleteRelease release={release} isDisabled={mayManage !== true} />
        </>
      }
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        {
          id: 'edit',
          title: words.tabs.edit,
          render: () => <EditRelease release={release} isReadOnly={mayManage === false} asked={asked} />,
        },
        {
          id: 'deployments',
          title: words.tabs.deployments,
          render: () => <DeploymentsOfRelease releaseId={releaseId} />,
        },
      ]}
    />
  )
}

interface EditProps {
  release: Release
  isReadOnly: boolean
  asked: AskedPermission
}

function EditRelease({ release, isReadOnly, asked }: EditProps) {
  const { release: words } = useWords('firmware')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const path = { releaseId: release.id }
  const [isUploading, setUploading] = useState(false)
  const initial = useMemo(() => startRelease(release), [release])
  const saveOver = useSaveOver({
    queryKey: ['release', release.id],
    read: () => api.get(route, { path, signal: withTimeout() }),
    start: startRelease,
  })
  const form = useForm({
    draft: `release-${release.id}`,
    follows: true,
    initial,
    validate: (values) => ({
      ...checkRelease(values, { ...common, ...words }),
      ...(isUploading && { fileResourceId: words.stillUploading }),
    }),
    submit: async (values) => {
      // PUT replaces the whole release.
      const body = writeRelease(await saveOver(values, initial))
      const saved = await api.put(route, { path, body, signal: withTimeout() })
      form.settle(values, startRelease(saved))
      cache.setQueryData(['release', release.id], saved)
      void cache.invalidateQueries({ queryKey: ['releases'] })
    },
  })
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={words.tabs.edit} className={styles.scroll}>
      {isReadOnly && (
        <Notice kind="info">
          {words.readOnly} <WhyNot reason={words.readOnly} asked={asked} />
        </Notice>
      )}
      <ReleaseFields
        form={form}
        organizationId={release.organizationId}
        isFileMissing={release.fileMissing}
        isReadOnly={isReadOnly || form.isSubmitting}
        onUploading={setUploading}
      />
      {!isReadOnly && <SaveBar form={form} label={words.save} />}
    </form>
  )
}

function DeploymentsOfRelease({ releaseId }: { releaseId: string }) {
  const { release: words } = useWords('firmware')
  const { source } = useDeployments({ releaseId })
  return (
    <DeploymentTable
      source={source}
      label={words.tabs.deployments}
      empty={<Empty icon="firmware" title={words.noDeployments} text={words.noDeploymentsText} />}
    />
  )
}

function DeleteRelease({ release, isDisabled }: { release: Release; isDisabled: boolean }) {
  const { release: words } = useWords('firmware')
  const api = useApi()
  return (
    <DeleteButton
      action={words.delete}
      title={words.deleteTitle}
      name={release.displayName}
      isDisabled={isDisabled}
      onDelete={() => api.delete(route, { path: { releaseId: release.id }, signal: withTimeout() })}
      next={links.releases()}
      cached={{ one: ['release', release.id], lists: ['releases'] }}
    >
      {words.deleteText}
    </DeleteButton>
  )
}
