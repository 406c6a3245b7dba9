import { Component, type ReactNode, useEffect } from 'react'
import { useWords } from '../words/words.tsx'
import { Card } from '../session/Card.tsx'

const RETRY_MS = 5000

/** Without an answer to the very first request there is nothing to show yet. */
export class Outage extends Component<{ children: ReactNode }, { isOut: boolean }> {
  override state = { isOut: false }

  static getDerivedStateFromError = () => ({ isOut: true })

  override render() {
    if (!this.state.isOut) return this.props.children
    return <OutagePage onRetry={() => this.setState({ isOut: false })} />
  }
}

function OutagePage({ onRetry }: { onRetry: () => void }) {
  const words = useWords('shell')
  useEffect(() => {
    const timer = setInterval(onRetry, RETRY_MS)
    return () => clearInterval(timer)
  }, [onRetry])
  return (
    <Card title={words.outageTitle} text={words.outageText}>
      {null}
    </Card>
  )
}
