import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { Name } from '../../parts/Id.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column, Filter } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import { ObjectName } from '../access/ObjectName.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Files.module.css'
import { readKind, readTagFilter, type Resource, writeTagFilter } from './resource.ts'

const UploadDialog = lazyPart(() => import('./UploadDialog.tsx'))
const CreateDocument = lazyPart(() => import('./CreateDocument.tsx'))

const fields = { search: text(), tag: text() }
const PAGE = 100
/** A menu with more tags would be hard to use. */
const MOST_TAGS = 200

type OpenDialog = 'upload' | 'document' | 'theme' | null

/** Files, documents and themes that other things refer to. */
export default function FileList() {
  const words = useWords('files')
  const api = useApi()
  const [{ search, tag }, change] = useUrlState(fields)
  const [dialog, setDialog] = useState<OpenDialog>(null)
  const query = useMemo(
    () => ({ limit: PAGE, search: search || undefined, tag: tag === '' ? undefined : [tag] }),
    [search, tag],
  )
  const source = usePagedList<Resource>(['resources', query], (cursor, signal) =>
    api.page('/v1/resources', { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  const upload = (
    <CreateButton privilege="resource_item_management" onClick={() => setDialog('upload')}>
      {words.upload.action}
    </CreateButton>
  )
  return (
    <ListPage
      title={words.title}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={
        <>
          <CodeExamples requests={[listExample('/v1/resources', { query })]} />
          <CreateButton isPlain privilege="resource_item_management" onClick={() => setDialog('theme')}>
            {words.create.theme}
          </CreateButton>
          <CreateButton isPlain privilege="resource_item_management" onClick={() => setDialog('document')}>
            {words.create.document}
          </CreateButton>
          {upload}
        </>
      }
    >
      <DataTable
        name="files"
        label={words.title}
        source={source}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ displayName }) => displayName}
        rowLink={({ id }) => links.file(id)}
        search={{ value: search, onChange: (next) => void change({ search: next }), label: words.search }}
        filters={[useTagFilter(tag, (next) => void change({ tag: next }))]}
        empty={<Empty icon="files" title={words.emptyTitle} text={words.emptyText} action={upload} />}
      />
      <PartBoundary>
        {dialog === 'upload' && <UploadDialog onClose={() => setDialog(null)} />}
        {(dialog === 'document' || dialog === 'theme') && (
          <CreateDocument kind={dialog} onClose={() => setDialog(null)} />
        )}
      </PartBoundary>
    </ListPage>
  )
}

function useTagFilter(value: string, onChange: (value: string) => void): Filter {
  const words = useWords('files')
  const format = useFormat()
  const api = useApi()
  const { data = {} } = useQuery({
    queryKey: ['resources', 'tags'],
    queryFn: ({ signal }) => api.get('/v1/resources/tags', { signal: withTimeout(signal) }),
  })
  const tags = Object.entries(data as Record<string, string[]>).flatMap(([key, values]) =>
    values.map((one) => writeTagFilter(key, one)),
  )
  const shown = [...new Set([...tags.slice(0, MOST_TAGS), ...(value === '' ? [] : [value])])]
  return {
    id: 'tag',
    label: words.tag,
    ...(tags.length > MOST_TAGS && {
      hint: words.tagsCut(format.number(MOST_TAGS), format.number(tags.length)),
    }),
    options: shown.map((one) => ({ value: one, label: readTagFilter(one) })),
    value,
    onChange,
  }
}

function useColumns(): Column<Resource>[] {
  const words = useWords('files')
  const format = useFormat()
  return [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 3fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    {
      id: 'kind',
      title: words.kind,
      width: 'minmax(88px, 112px)',
      isOnPhone: true,
      render: (row) => words.kinds[readKind(row)],
    },
    {
      id: 'tags',
      title: words.tags,
      width: 'minmax(120px, 3fr)',
      render: ({ tags }) => <Tags tags={tags} />,
    },
    {
      id: 'size',
      title: words.size,
      width: '96px',
      align: 'end',
      render: ({ metadata }) => format.bytes(metadata.size),
    },
    {
      id: 'changed',
      title: words.changed,
      width: 'minmax(112px, 150px)',
      isOnPhone: true,
      render: ({ metadata }) => <RelativeTime at={metadata.changedAt} />,
    },
    {
      id: 'type',
      title: words.contentType,
      width: 'minmax(96px, 1.5fr)',
      isOptional: true,
      render: ({ metadata }) => <Name>{metadata.contentType}</Name>,
    },
    {
      id: 'organization',
      title: words.organization,
      width: 'minmax(112px, 1.5fr)',
      isOptional: true,
      render: ({ organizationId }) => <ObjectName type="organization" id={organizationId} />,
    },
  ]
}

/** All tags in one line, which is cut with a title. */
function Tags({ tags }: { tags: Record<string, string> }) {
  const texts = Object.entries(tags).map(([key, value]) => `${key}: ${value}`)
  return (
    <span className={styles.tags} title={texts.join('\n')}>
      {texts.map((one) => (
        <bdi key={one} className={styles.tag}>
          {one}
        </bdi>
      ))}
    </span>
  )
}
