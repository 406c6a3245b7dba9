import { Button, Checkbox, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { PageHead } from '../../../parts/layout/ListPage.tsx'
import page from '../../../parts/layout/Page.module.css'
import { Empty, Loading } from '../../../parts/State.tsx'
import { text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { template as usualTemplate } from '../first-device/setup.ts'
import { BodyRefusal, withoutBodyRefusal } from '../BodyRefusal.tsx'
import shared from '../Onboarding.module.css'
import { SectionNav } from '../Section.tsx'
import { useTargets } from '../use-groups.ts'
import styles from './Groups.module.css'
import { TargetSelect } from './TargetSelect.tsx'
import { parseTemplate, writeTemplate } from './template.ts'
import { TemplateEditor } from './TemplateEditor.tsx'

const fields = { target: text() }

/** Creates a group with its routing target and response template. */
export default function CreateGroup() {
  const { targets, query } = useTargets()
  return (
    <>
      <SectionNav />
      <div className={page.page}>
        {/* The form stays while refused targets are asked for again, which it does itself when it is mounted. */}
        {!query.isFetched && <Loading />}
        {query.isFetched && (targets?.length === 0 ? <NoTarget /> : <NewGroup />)}
      </div>
    </>
  )
}

function NoTarget() {
  const words = useWords('groups')
  return (
    <>
      <PageHead title={words.create} />
      <Empty
        icon="onboarding"
        title={words.noTargetTitle}
        text={words.noTargetText}
        action={
          <Button
            variant="filled"
            renderRoot={(props) => <Link {...props} {...(links.newTarget() as { to: string })} />}
          >
            {words.createTarget}
          </Button>
        }
      />
    </>
  )
}

interface Values {
  name: string
  routing_target_id: string
  isDerivedOnly: boolean
  response_template: string
}

function NewGroup() {
  const words = useWords('groups')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const { targets } = useTargets()
  const [{ target }] = useUrlState(fields)
  const only = targets?.length === 1 ? targets[0]!.id : ''
  const write = (values: Values) => ({
    name: values.name.trim(),
    routing_target_id: values.routing_target_id,
    key_policy: values.isDerivedOnly ? ('derived_only' as const) : ('any' as const),
    response_template: parseTemplate(values.response_template) ?? {},
  })
  const form = useForm<Values>({
    draft: 'group-new',
    initial: {
      name: '',
      routing_target_id: target || only,
      isDerivedOnly: true,
      response_template: writeTemplate(usualTemplate),
    },
    validate: (values) => ({
      ...(values.name.trim() === '' && { name: common.required }),
      ...(values.routing_target_id === '' && { routing_target_id: common.required }),
      ...(parseTemplate(values.response_template) === null && {
        response_template: words.template.notObject,
      }),
    }),
    submit: async (values) => {
      const { id } = await api.post('/api/enrollment-groups', { body: write(values), signal: withTimeout() })
      void cache.invalidateQueries({ queryKey: ['groups'] })
      form.reset()
      await router.navigate(links.group(id, { tab: 'keys' }) as never)
    },
  })
  const { values, change } = form
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={words.create}>
      <PageHead
        title={words.create}
        text={words.what}
        actions={
          <CodeExamples requests={[example('post', '/api/enrollment-groups', { body: write(values) })]} />
        }
      />
      <div className={styles.wide}>
        <BodyRefusal form={form} />
        <div className={shared.form}>
          <TextInput
            label={words.name}
            description={words.nameHint}
            autoComplete="off"
            {...form.field('name')}
          />
          <TargetSelect
            value={values.routing_target_id}
            error={form.problem('routing_target_id')}
            onChange={(id) => change({ routing_target_id: id })}
          />
          <Checkbox
            label={words.derivedOnly}
            description={words.derivedOnlyHint}
            checked={values.isDerivedOnly}
            onChange={(event) => change({ isDerivedOnly: event.currentTarget.checked })}
          />
        </div>
        <TemplateEditor
          text={values.response_template}
          targetId={values.routing_target_id}
          problem={form.problem('response_template')}
          onChange={(next) => change({ response_template: next })}
        />
      </div>
      <SaveBar form={withoutBodyRefusal(form)} label={words.create} />
    </form>
  )
}
