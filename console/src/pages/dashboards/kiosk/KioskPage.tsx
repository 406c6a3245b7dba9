import { Button } from '@mantine/core'
import { useParams, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { TokenApiProvider } from '../../../api/ApiProvider.tsx'
import { LiveProvider } from '../../../live/LiveProvider.tsx'
import { ViewOnlyContext } from '../../../parts/view-only.ts'
import { Card } from '../../../session/Card.tsx'
import { useWords } from '../../../words/words.tsx'
import { KioskBoard } from './KioskBoard.tsx'

/**
 * A dashboard alone on a screen: `/console/kiosk/<id>#token=…`. The token is in the fragment, which browsers send to no
 * server, and stays there, so that the page can be loaded again. It is kept nowhere else.
 */
export default function KioskPage() {
  const words = useWords('kiosk')
  const { dashboardId } = useParams({ strict: false }) as { dashboardId: string }
  const token = useRouterState({ select: ({ location }) => new URLSearchParams(location.hash).get('token') })
  if (!token)
    return (
      <Card title={words.noTokenTitle} text={words.noToken}>
        {null}
      </Card>
    )
  return <WithToken key={token} token={token} dashboardId={dashboardId} />
}

function WithToken({ token, dashboardId }: { token: string; dashboardId: string }) {
  const words = useWords('kiosk')
  const [hasEnded, setEnded] = useState(false)
  // The values that were on the screen are hidden, because the link may have been revoked to hide them.
  if (hasEnded)
    return (
      <Card title={words.endedTitle} text={words.ended}>
        <Button onClick={() => setEnded(false)}>{words.tryAgain}</Button>
      </Card>
    )
  return (
    <TokenApiProvider token={token} onRefused={() => setEnded(true)}>
      <LiveProvider>
        <ViewOnlyContext value>
          <KioskBoard dashboardId={dashboardId} />
        </ViewOnlyContext>
      </LiveProvider>
    </TokenApiProvider>
  )
}
