import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { PageHead } from '../../../parts/layout/ListPage.tsx'
import page from '../../../parts/layout/Page.module.css'
import { Failed, Loading } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { isLoopback, readPort } from '../first-device/setup.ts'
import { SectionNav } from '../Section.tsx'
import { type TargetBody, TargetForm } from './TargetForm.tsx'
import { type OwnPlatform, suggestTarget } from './target-values.ts'
import { useOwnPlatform } from './use-own-platform.ts'

export default function CreateTarget() {
  const words = useWords('targets')
  const { own, endpoints, error } = useOwnPlatform()
  if (error !== null) return <Failed error={error} />
  if (own === undefined || endpoints === undefined) return <Loading />
  const endpoint = isLoopback(location.hostname) ? endpoints.mqtt : endpoints.mqtts
  const broker = { host: location.hostname, port: readPort(endpoint) }
  const body = {
    name: 'Here',
    brokers: [{ ...broker, port: Number(broker.port) }],
    provider_base_url: `${own.http}/v1/providers/${own.providers[0] ?? 'mqtt'}`,
    provider_api_key: 'API_TOKEN',
    webhook_secret: 'SECRET',
  }
  return (
    <>
      <SectionNav />
      <div className={page.page}>
        <PageHead
          title={words.create}
          text={words.what}
          actions={<CodeExamples requests={[example('post', '/api/routing-targets', { body })]} />}
        />
        <NewTarget own={own} broker={broker} />
      </div>
    </>
  )
}

function NewTarget({ own, broker }: { own: OwnPlatform; broker: { host: string; port: string } }) {
  const words = useWords('targets')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const [initial] = useState(() => suggestTarget(own, broker))
  const save = async (body: TargetBody, reset: () => void) => {
    const { id } = await api.post('/api/routing-targets', {
      body: body as Required<TargetBody>,
      signal: withTimeout(),
    })
    void cache.invalidateQueries({ queryKey: ['targets'] })
    reset()
    await router.navigate(links.target(id, { tab: 'groups' }) as never)
  }
  return <TargetForm own={own} initial={initial} action={words.create} onSave={save} />
}
