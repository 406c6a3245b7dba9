import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { ConfirmByName } from '../../../parts/ConfirmByName.tsx'
import { DraftGuard } from '../../../parts/form/DraftGuard.tsx'
import { type Form, useForm } from '../../../parts/form/use-form.ts'
import { PageHead } from '../../../parts/layout/ListPage.tsx'
import page from '../../../parts/layout/Page.module.css'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Loading } from '../../../parts/State.tsx'
import { list, text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { OrganizationField } from '../../access/OrganizationField.tsx'
import { useOrganizationId } from '../../access/use-organization-id.ts'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Firmware.module.css'
import { PickOne } from '../../../parts/pick/PickOne.tsx'
import { updateStates } from './deployment.ts'
import {
  checkDeployment,
  emptyDeployment,
  type NewDeployment as Values,
  writeDeployment,
  writePreview,
} from './new-deployment.ts'
import { PreviewPanel } from './PreviewPanel.tsx'
import { RolloutFields } from './RolloutFields.tsx'
import { SelectionFields } from './SelectionFields.tsx'
import { useObjectFinder } from '../../access/use-object-finder.ts'
import { useTemplateFinder } from '../use-template-finder.ts'

const previewRoute = '/v1/firmware/deployments/preview'
/** What another page has chosen already; `of` is a deployment whose devices are meant. */
const fields = {
  release: text(),
  template: text(),
  device: text(),
  of: text(),
  previous: text(),
  states: list(),
  name: text(),
}
const DELAY_MS = 400
/** 100,000 devices take a while. */
const REQUEST_MS = 30_000

export default function NewDeployment() {
  const { new: words, title } = useWords('deployments')
  const [state] = useUrlState(fields)
  const [initial] = useState<Values>(() => ({
    ...emptyDeployment,
    releaseId: state.release,
    deploymentTemplateId: state.template,
    displayName: state.name,
    deviceIds: state.device === '' ? [] : [state.device],
    of: {
      id: state.of,
      previousReleaseId: state.previous,
      statuses: updateStates.filter((status) => state.states.includes(status)),
    },
  }))
  const form = useForm<Values>({
    // What another page has prepared must not be replaced by a draft.
    ...(Object.values(state).every((value) => value.length === 0) && { draft: 'deployment-new' }),
    initial,
    validate: (values) => checkDeployment(values, words),
    submit: async () => {},
  })
  const values = useFilled(form.values)
  const { preview, isCurrent } = usePreview(values)
  const [isDeploying, setDeploying] = useState(false)
  return (
    <div className={page.page}>
      <PageHead
        parent={{ title, link: links.firmware() }}
        title={words.title}
        actions={<CodeExamples requests={[example('post', previewRoute, { body: writePreview(values) })]} />}
      />
      <div className={styles.columns}>
        <form aria-label={words.title} className={styles.fields} onSubmit={form.onSubmit} noValidate>
          <DraftGuard isChanged={form.isChanged && !isDeploying} isKept={form.isKept} />
          <WhatFields form={form} organizationId={values.organizationId} />
          <SelectionFields form={form} />
          <RolloutFields form={form} />
        </form>
        <section className={styles.panel} aria-label={words.preview}>
          <h2 className={styles.subtitle}>{words.preview}</h2>
          {values.releaseId === '' || values.deploymentTemplateId === '' ? (
            <p className={styles.quiet}>{words.choose}</p>
          ) : Object.keys(checkDeployment(values, words)).length > 0 ? (
            <Problems problems={Object.values(checkDeployment(values, words))} />
          ) : preview.error !== null && isCurrent ? (
            <Refusal error={preview.error} />
          ) : preview.data === undefined ? (
            <Loading rows={4} />
          ) : (
            <>
              <PreviewPanel preview={preview.data} threshold={values.isRollout ? values.threshold : null} />
              <Deploy
                values={values}
                deviceIds={preview.data.deviceIds}
                isCurrent={isCurrent}
                onDeploying={setDeploying}
                onDone={form.reset}
              />
            </>
          )}
        </section>
      </div>
    </div>
  )
}

const Problems = ({ problems }: { problems: string[] }) => (
  <ul role="status" className={styles.choices}>
    {problems.map((problem) => (
      <li key={problem} className={styles.problem}>
        {problem}
      </li>
    ))}
  </ul>
)

function WhatFields({ form, organizationId }: { form: Form<Values>; organizationId: string }) {
  const { new: words, release, template } = useWords('deployments')
  const { values, change } = form
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{words.what}</legend>
      <div className={styles.pair}>
        <PickOne
          {...useObjectFinder('firmware')}
          label={release}
          value={values.releaseId}
          onChange={(releaseId) => change({ releaseId })}
          error={form.problem('releaseId')}
        />
        <PickOne
          {...useTemplateFinder()}
          label={template}
          value={values.deploymentTemplateId}
          onChange={(deploymentTemplateId) => change({ deploymentTemplateId })}
          error={form.problem('deploymentTemplateId')}
        />
      </div>
      <TextInput
        label={words.name}
        description={words.nameHint}
        autoComplete="off"
        maxLength={256}
        {...form.field('displayName')}
      />
      <OrganizationField
        privilege="firmware_management"
        value={organizationId}
        onChange={(id) => change({ organizationId: id })}
        error={form.problem('organizationId')}
      />
    </fieldset>
  )
}

/** The values, with the default organization where none is chosen: that of the release, if the user may deploy there. */
function useFilled(values: Values): Values {
  const release = useRelease(values.releaseId)
  const { organizationId } = useOrganizationId({
    privilege: 'firmware_management',
    chosen: values.organizationId,
    preferred: release.data?.organizationId,
  })
  return { ...values, organizationId }
}

function useRelease(releaseId: string) {
  const api = useApi()
  return useQuery({
    queryKey: ['release', releaseId],
    queryFn: ({ signal }) =>
      api.get('/v1/firmware/releases/{releaseId}', { path: { releaseId }, signal: withTimeout(signal) }),
    enabled: releaseId !== '',
  })
}

/** The preview of what is chosen now; `isCurrent` while it belongs to it. */
function usePreview(values: Values) {
  const { new: words } = useWords('deployments')
  const api = useApi()
  const wanted = JSON.stringify(writePreview(values))
  const [asked] = useDebouncedValue(wanted, DELAY_MS)
  const isComplete =
    values.releaseId !== '' &&
    values.deploymentTemplateId !== '' &&
    values.organizationId !== '' &&
    Object.keys(checkDeployment(values, words)).length === 0
  const preview = useQuery({
    queryKey: ['deployment-preview', asked],
    queryFn: ({ signal }) =>
      api.post(previewRoute, {
        body: JSON.parse(asked) as ReturnType<typeof writePreview>,
        signal: withTimeout(signal, REQUEST_MS),
      }),
    enabled: isComplete && asked === wanted,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
  })
  return { preview, isCurrent: asked === wanted && !preview.isFetching }
}

interface DeployProps {
  values: Values
  deviceIds: string[]
  isCurrent: boolean
  /** Whether a request is on its way, so that the page may be left. */
  onDeploying: (isDeploying: boolean) => void
  onDone: () => void
}

/** Creates the deployment for the very devices of the preview. */
function Deploy({ values, deviceIds, isCurrent, onDeploying, onDone }: DeployProps) {
  const { new: words, back } = useWords('deployments')
  const format = useFormat()
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const [isOpen, dialog] = useDisclosure()
  const { data: release } = useRelease(values.releaseId)
  const displayName = values.displayName.trim() || words.defaultName(release?.displayName ?? '')
  const deploy = async () => {
    onDeploying(true)
    const body = writeDeployment(values, displayName, deviceIds)
    const { id } = await api
      .post('/v1/firmware/deployments', { body, signal: withTimeout(undefined, REQUEST_MS) })
      .catch((error: unknown) => {
        onDeploying(false)
        throw error
      })
    void cache.invalidateQueries({ queryKey: ['deployments'] })
    onDone()
    await router.navigate(links.deployment(id) as never)
  }
  return (
    <>
      {!isCurrent && (
        <p role="status" className={styles.quiet}>
          {words.counting}
        </p>
      )}
      <Button
        variant="filled"
        className={styles.start}
        disabled={!isCurrent || deviceIds.length === 0 || release === undefined}
        onClick={dialog.open}
      >
        {words.deploy}
      </Button>
      <ConfirmByName
        isOpen={isOpen}
        onClose={dialog.close}
        title={words.confirmTitle}
        name={release?.displayName ?? ''}
        action={words.deploy}
        onConfirm={deploy}
      >
        {words.confirm(back.devices(deviceIds.length, format.number(deviceIds.length)))}
      </ConfirmByName>
    </>
  )
}
