import { Button, TextInput } from '@mantine/core'
import type { Schemas } from '@gangway/client'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, type FormEvent, useMemo, useRef } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { ConfirmByName } from '../../parts/ConfirmByName.tsx'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Id } from '../../parts/Id.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Failed, Loading, Notice } from '../../parts/State.tsx'
import { redirectUri } from '../../session/oidc.ts'
import { useUser } from '../../session/SessionProvider.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { IssuerTest } from './IssuerTest.tsx'
import styles from './People.module.css'
import { PeopleNav } from './PeopleNav.tsx'

type Tenant = Schemas['Tenant']
const route = '/v1/tenants/{tenantId}'

/** The OIDC issuer of the user's tenant. */
export default function SignInPage() {
  const { title, signIn: words } = useWords('people')
  const { tenantId } = useUser()
  const api = useApi()
  const tenant = useQuery({
    queryKey: ['tenant', tenantId],
    queryFn: ({ signal }) => api.get(route, { path: { tenantId }, signal: withTimeout(signal) }),
  })
  return (
    <>
      <PeopleNav />
      <ListPage
        parent={{ title, link: links.people() }}
        title={words.title}
        text={words.what}
        actions={<CodeExamples requests={[example('get', route, { path: { tenantId } })]} />}
      >
        {tenant.isPending ? (
          <Loading />
        ) : tenant.data === undefined ? (
          <>
            <p className={styles.note}>{words.only}</p>
            <Failed error={tenant.error} onRetry={() => void tenant.refetch()} />
          </>
        ) : (
          <Issuer tenant={tenant.data} />
        )}
      </ListPage>
    </>
  )
}

function Issuer({ tenant }: { tenant: Tenant }) {
  const { signIn: words } = useWords('people')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const path = { tenantId: tenant.id }
  const form = useForm({
    draft: `issuer-${tenant.id}`,
    follows: true,
    initial: useMemo(() => readIssuer(tenant), [tenant]),
    validate: ({ oidc }) =>
      Object.fromEntries(
        Object.entries(oidc).flatMap(([name, value]) =>
          value.trim() === '' ? [[`oidc.${name}`, common.required]] : [],
        ),
      ),
    submit: async (values) => {
      const { issuer, audience, clientId } = values.oidc
      const oidc = { issuer: issuer.trim(), audience: audience.trim(), clientId: clientId.trim() }
      const saved = await api.patch(route, { path, body: { oidc }, signal: withTimeout() })
      form.settle(values, readIssuer(saved))
      cache.setQueryData(['tenant', tenant.id], saved)
    },
  })
  const isOther = tenant.oidc !== null && tenant.oidc.issuer !== form.values.oidc.issuer.trim()
  const element = useRef<HTMLFormElement>(null)
  const isConfirmed = useRef(false)
  const [isOpen, dialog] = useDisclosure()
  const onSubmit = (event: FormEvent) => {
    if (isOther && !isConfirmed.current) {
      event.preventDefault()
      return dialog.open()
    }
    isConfirmed.current = false
    form.onSubmit(event)
  }
  const submitConfirmed = async () => {
    isConfirmed.current = true
    element.current!.requestSubmit()
  }
  const field = (name: keyof typeof form.values.oidc) => ({
    name,
    value: form.values.oidc[name],
    error: form.problem(`oidc.${name}`),
    onChange: (event: ChangeEvent<HTMLInputElement>) =>
      form.change({ oidc: { ...form.values.oidc, [name]: event.currentTarget.value } }),
  })
  return (
    <div className={styles.profile}>
      <form ref={element} onSubmit={onSubmit} noValidate className={styles.fields} aria-label={words.title}>
        <TextInput
          type="url"
          label={words.issuer}
          description={words.issuerHint}
          placeholder="https://login.example.com"
          {...field('issuer')}
        />
        {isOther && <Notice kind="warning">{words.otherIssuer}</Notice>}
        <TextInput label={words.audience} description={words.audienceHint} {...field('audience')} />
        <TextInput label={words.clientId} description={words.clientIdHint} {...field('clientId')} />
        <div className={styles.field}>
          <span>{words.redirect}</span>
          <Id value={redirectUri()} name={words.redirect} />
        </div>
        <SaveBar form={form} label={words.save} />
      </form>
      {tenant.oidc !== null && (
        <>
          <ConfirmByName
            isOpen={isOpen}
            onClose={dialog.close}
            title={words.changeTitle}
            name={tenant.oidc.issuer}
            action={words.change}
            onConfirm={submitConfirmed}
          >
            {words.otherIssuer}
          </ConfirmByName>
          <IssuerTest tenantId={tenant.id} issuer={tenant.oidc.issuer} isChanged={form.isChanged} />
          <RemoveIssuer tenant={tenant} issuer={tenant.oidc.issuer} />
        </>
      )}
    </div>
  )
}

const readIssuer = ({ oidc }: Tenant) => ({
  oidc: {
    issuer: oidc?.issuer ?? '',
    audience: oidc?.audience ?? '',
    clientId: oidc?.clientId ?? '',
  },
})

function RemoveIssuer({ tenant, issuer }: { tenant: Tenant; issuer: string }) {
  const { signIn: words } = useWords('people')
  const api = useApi()
  const cache = useQueryClient()
  const [isOpen, dialog] = useDisclosure()
  const remove = async () => {
    const saved = await api.patch(route, {
      path: { tenantId: tenant.id },
      body: { oidc: null },
      signal: withTimeout(),
    })
    cache.setQueryData(['tenant', tenant.id], saved)
  }
  return (
    <div>
      <Button color="red" variant="outline" onClick={dialog.open}>
        {words.remove}
      </Button>
      <ConfirmByName
        isOpen={isOpen}
        onClose={dialog.close}
        title={words.removeTitle}
        name={issuer}
        action={words.remove}
        onConfirm={remove}
      >
        {words.removeText}
      </ConfirmByName>
    </div>
  )
}
