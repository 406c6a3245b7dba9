import { Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { Id, Name } from '../../parts/Id.tsx'
import { pickChanged } from '../../parts/draft/history.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Facts } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import { ObjectName } from '../access/ObjectName.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Files.module.css'
import { type Resource, resourceRoute } from './resource.ts'
import { findTagProblems, readTagRows, writeTags } from './tag-rows.ts'
import { TagsField } from './TagsField.tsx'

const start = ({ displayName, description, tags }: Resource) => ({
  displayName,
  description: description ?? '',
  rows: readTagRows(tags),
})

const write = ({ displayName, description, rows }: ReturnType<typeof start>) => ({
  displayName: displayName.trim(),
  description: description.trim() || null,
  tags: writeTags(rows),
})

/** The name, the description and the tags; and what the server has found out about the content. */
export default function DetailsTab({ resource, isReadOnly }: { resource: Resource; isReadOnly: boolean }) {
  const words = useWords('files')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const initial = useMemo(() => start(resource), [resource])
  const form = useForm({
    draft: `file-${resource.id}`,
    follows: true,
    initial,
    validate: ({ displayName, rows }) => ({
      ...(displayName.trim() === '' && { displayName: common.required }),
      ...(findTagProblems(rows).some(Boolean) && { rows: common.required }),
    }),
    submit: async (values) => {
      const saved = await api.patch(resourceRoute, {
        path: { resourceId: resource.id },
        // Somebody else may have changed the rest.
        body: pickChanged(write(values), write(initial)),
        signal: withTimeout(),
      })
      form.settle(values, start(saved))
      cache.setQueryData(['resource', resource.id], saved)
      void cache.invalidateQueries({ queryKey: ['resources'] })
      void cache.invalidateQueries({ queryKey: ['theme'] })
    },
  })
  return (
    <div className={styles.scroll}>
      <form onSubmit={form.onSubmit} noValidate aria-label={words.tabs.details} className={styles.fields}>
        <TextInput
          label={words.name}
          autoComplete="off"
          readOnly={isReadOnly}
          {...form.field('displayName')}
        />
        <Textarea
          label={words.description}
          autosize
          minRows={1}
          readOnly={isReadOnly}
          {...form.field('description')}
        />
        <TagsField
          rows={form.values.rows}
          onChange={(rows) => form.change({ rows })}
          isReadOnly={isReadOnly}
        />
        {!isReadOnly && <SaveBar form={form} label={words.save} />}
      </form>
      <KnownFacts resource={resource} />
    </div>
  )
}

function KnownFacts({ resource }: { resource: Resource }) {
  const words = useWords('files')
  const format = useFormat()
  const { metadata, originalFileName, authorizationContext } = resource
  const sharedWith = authorizationContext.viewableByOrganizations
  return (
    <Facts
      entries={[
        ...(originalFileName === undefined
          ? []
          : ([[words.fileName, <Name key="file">{originalFileName}</Name>]] as [string, React.ReactNode][])),
        [words.contentType, <Name key="type">{metadata.contentType}</Name>],
        [words.size, format.bytes(metadata.size)],
        [words.sha256, <Id key="sha256" value={metadata.sha256} name={words.sha256} />],
        [words.created, format.full(metadata.createdAt)],
        [words.changed, format.full(metadata.changedAt)],
        [
          words.organization,
          <ObjectName key="organization" type="organization" id={resource.organizationId} />,
        ],
        [
          words.sharedWith,
          sharedWith.length === 0 ? words.nobody : <Organizations key="shared" ids={sharedWith} />,
        ],
      ]}
    />
  )
}

const Organizations = ({ ids }: { ids: string[] }) =>
  ids.map((id) => <ObjectName key={id} type="organization" id={id} />)
