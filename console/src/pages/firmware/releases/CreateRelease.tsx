import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { PageHead } from '../../../parts/layout/ListPage.tsx'
import page from '../../../parts/layout/Page.module.css'
import { useWords } from '../../../words/words.tsx'
import { OrganizationField } from '../../access/OrganizationField.tsx'
import { useOrganizationId } from '../../access/use-organization-id.ts'
import { withTimeout } from '../../devices/timeout.ts'
import { checkRelease, newRelease, type ReleaseValues, writeRelease } from './release.ts'
import { ReleaseFields } from './ReleaseFields.tsx'

const route = '/v1/firmware/releases'

export default function CreateRelease() {
  const { release: words, releases } = useWords('firmware')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const [isUploading, setUploading] = useState(false)
  const write = (values: ReleaseValues) => ({
    ...writeRelease(values),
    organizationId,
  })
  const form = useForm<ReleaseValues>({
    draft: 'release-new',
    initial: newRelease,
    validate: (values) => ({
      ...checkRelease(values, { ...common, ...words }),
      ...(isUploading && { fileResourceId: words.stillUploading }),
    }),
    submit: async (values) => {
      const body = { ...write(values), organizationId: await findOrganizationId() }
      const { id } = await api.post(route, { body, signal: withTimeout() })
      void cache.invalidateQueries({ queryKey: ['releases'] })
      void cache.invalidateQueries({ queryKey: ['picked', 'firmware'] })
      form.reset()
      await router.navigate(links.release(id) as never)
    },
  })
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'firmware_management',
    chosen: form.values.organizationId,
  })
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={words.createTitle} className={page.page}>
      <PageHead
        parent={{ title: releases, link: links.releases() }}
        title={words.createTitle}
        text={words.what}
        actions={<CodeExamples requests={[example('post', route, { body: write(form.values) })]} />}
      />
      <OrganizationField
        privilege="firmware_management"
        value={organizationId}
        onChange={(chosen) => form.change({ organizationId: chosen })}
        error={form.problem('organizationId')}
      />
      <ReleaseFields
        form={form}
        organizationId={organizationId}
        isReadOnly={form.isSubmitting}
        onUploading={setUploading}
      />
      <SaveBar form={form} label={words.create} />
    </form>
  )
}
