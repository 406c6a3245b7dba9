import { ActionIcon, Button, Group, Modal, Progress } from '@mantine/core'
import { type DragEvent, useState } from 'react'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { DraftGuard } from '../../parts/form/DraftGuard.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Name } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { type StateKind, StateMark } from '../../parts/StateMark.tsx'
import { useWords } from '../../words/words.tsx'
import { OrganizationField } from '../access/OrganizationField.tsx'
import { useOrganizationId } from '../access/use-organization-id.ts'
import { FilePicker } from './FilePicker.tsx'
import styles from './Files.module.css'
import { findTagProblems, type TagRow, writeTags } from './tag-rows.ts'
import { TagsField } from './TagsField.tsx'
import { type Upload, useUploads } from './use-uploads.ts'

/** Dialog that uploads files one after the other, each with its progress. */
export default function UploadDialog({ onClose }: { onClose: () => void }) {
  const { upload: words } = useWords('files')
  const common = useWords('common')
  const { uploads, isRunning, add, remove, start, cancel } = useUploads()
  const [chosen, setChosen] = useState('')
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'resource_item_management',
    chosen,
  })
  const [tags, setTags] = useState<TagRow[]>([])
  const [isOver, setOver] = useState(false)
  const left = uploads.filter(({ state }) => state !== 'done').length
  const hasTagProblem = findTagProblems(tags).some(Boolean)
  const begin = async () => start({ organizationId: await findOrganizationId(), tags: writeTags(tags) })
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (!isRunning) add(event.dataTransfer.files)
  }
  return (
    <Modal
      opened
      size="lg"
      // An accidental key must not end an upload of minutes.
      onClose={isRunning ? () => {} : onClose}
      withCloseButton={!isRunning}
      title={words.title}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <DraftGuard isChanged={isRunning} />
      <div className={styles.fields}>
        <div
          className={styles.drop}
          data-over={isOver || undefined}
          onDragOver={(event) => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <p className={styles.quiet}>{words.drop}</p>
          <FilePicker label={words.choose} isMultiple isDisabled={isRunning} onFiles={add} />
        </div>
        {uploads.length > 0 && (
          <ul className={styles.uploads} aria-label={words.files}>
            {uploads.map((upload) => (
              <UploadRow
                key={upload.key}
                upload={upload}
                onRemove={isRunning ? undefined : () => remove(upload.key)}
              />
            ))}
          </ul>
        )}
        <OrganizationField privilege="resource_item_management" value={organizationId} onChange={setChosen} />
        <TagsField rows={tags} onChange={setTags} isReadOnly={isRunning} />
        <Group justify="flex-end">
          {isRunning ? (
            <Button onClick={cancel}>{words.cancel}</Button>
          ) : (
            <Button onClick={onClose}>{common.close}</Button>
          )}
          <Button
            variant="filled"
            disabled={left === 0 || hasTagProblem}
            loading={isRunning}
            onClick={() => void begin()}
          >
            {words.start(left)}
          </Button>
        </Group>
      </div>
    </Modal>
  )
}

const marks: Record<Upload['state'], StateKind> = {
  waiting: 'off',
  sending: 'active',
  done: 'good',
  failed: 'bad',
  canceled: 'warning',
}

function UploadRow({ upload, onRemove }: { upload: Upload; onRemove: (() => void) | undefined }) {
  const { upload: words } = useWords('files')
  const format = useFormat()
  const { file, state, share, resource, error } = upload
  return (
    <li className={styles.upload}>
      <div className={styles.uploadHead}>
        {resource === undefined ? (
          <Name>{file.name}</Name>
        ) : (
          <PageAnchor link={links.file(resource.id)}>
            <Name>{resource.displayName}</Name>
          </PageAnchor>
        )}
        <span className={styles.quiet}>{format.bytes(file.size)}</span>
        <StateMark state={marks[state]}>
          {state === 'sending' ? words.sending(format.percent(share)) : words.states[state]}
        </StateMark>
        {onRemove !== undefined && state !== 'done' && (
          <ActionIcon
            variant="subtle"
            aria-label={words.remove(file.name)}
            title={words.remove(file.name)}
            onClick={onRemove}
          >
            <Icon name="close" />
          </ActionIcon>
        )}
      </div>
      {state === 'sending' && <Progress value={share * 100} aria-label={words.progress(file.name)} />}
      {error !== undefined && <Refusal error={error} />}
    </li>
  )
}
