import { ApiError } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { type Form, useForm } from '../../../parts/form/use-form.ts'
import { Notice } from '../../../parts/State.tsx'
import { useFormat } from '../../../format.ts'
import { useWords } from '../../../words/words.tsx'
import { BodyRefusal, withoutBodyRefusal } from '../BodyRefusal.tsx'
import styles from './Groups.module.css'
import type { Group } from '../use-groups.ts'
import { parseTemplate, writeTemplate } from './template.ts'
import { TemplateConflict } from './TemplateConflict.tsx'
import { TemplateEditor } from './TemplateEditor.tsx'
import { useReadiness } from './use-readiness.ts'
import { useUpdateGroup } from './use-update-group.ts'

/** The editor of the group's response template. */
export default function TemplateTab({ group }: { group: Group }) {
  const { template: words } = useWords('groups')
  const format = useFormat()
  const { data: readiness } = useReadiness(group.id)
  const stored = writeTemplate(group.response_template)
  const form = useTemplateForm(group, stored)
  const { response_template: mine, base } = form.values
  const told = readiness?.devices ?? 0
  return (
    <form onSubmit={form.onSubmit} noValidate className={styles.wide}>
      <BodyRefusal form={form} />
      {base !== stored && mine !== base ? (
        <TemplateConflict
          theirs={stored}
          mine={formatTemplate(mine)}
          onTakeTheirs={form.reset}
          onKeepMine={() => form.change({ base: stored })}
        />
      ) : (
        form.isChanged && told > 0 && <Notice kind="info">{words.effect(told, format.number(told))}</Notice>
      )}
      <TemplateEditor
        text={mine}
        targetId={group.routing_target_id}
        groupId={group.id}
        problem={form.problem('response_template')}
        onChange={(next) => form.change({ response_template: next })}
      />
      <SaveBar form={withoutConflict(withoutBodyRefusal(form))} label={words.save} />
    </form>
  )
}

interface Values {
  response_template: string
  /** The stored template with which the editing began; a draft keeps it, so that a conflict survives a reload. */
  base: string
}

function useTemplateForm(group: Group, stored: string): Form<Values> {
  const { template: words } = useWords('groups')
  const cache = useQueryClient()
  const update = useUpdateGroup(group)
  const form = useForm<Values>({
    draft: `group-template-${group.id}`,
    initial: { response_template: stored, base: stored },
    validate: ({ response_template: text }) =>
      parseTemplate(text) === null ? { response_template: words.notObject } : {},
    submit: async ({ response_template: text, base: expected }) => {
      const changed = await update({
        response_template: parseTemplate(text)!,
        expected_response_template: parseTemplate(expected)!,
      }).catch(async (error: unknown) => {
        // Reads what the other one has saved, so that it is shown.
        if (isConflict(error)) await cache.refetchQueries({ queryKey: ['group', group.id] })
        throw error
      })
      const written = writeTemplate(changed.response_template)
      form.change({ response_template: written, base: written })
    },
  })
  const { change } = form
  const { response_template: mine, base } = form.values
  // Without an own change, the editor follows what is stored.
  const isFollowing = base !== stored && (mine === base || formatTemplate(mine) === stored)
  useEffect(() => {
    if (isFollowing) change({ response_template: stored, base: stored })
  }, [isFollowing, change, stored])
  return form
}

/** Writes the text as the server's template would be written, if it is a template. */
function formatTemplate(text: string): string {
  const template = parseTemplate(text)
  return template === null ? text : writeTemplate(template)
}

const isConflict = (error: unknown) => error instanceof ApiError && error.code === 'conflict'

/** Removes the error that `TemplateConflict` shows. */
const withoutConflict = <V extends object>(form: Form<V>): Form<V> =>
  isConflict(form.failure) ? { ...form, failure: null } : form
