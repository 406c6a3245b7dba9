import { Component, type ReactNode } from 'react'
import { WidgetNote } from '../widgets/WidgetState.tsx'

interface Props {
  text: string
  /** Another one tries again. */
  options: object
  children: ReactNode
}

/** Shows that a widget failed, in its place. */
export class WidgetBoundary extends Component<Props, { isFailed: boolean }> {
  override state = { isFailed: false }
  static getDerivedStateFromError() {
    return { isFailed: true }
  }
  override componentDidUpdate(before: Props) {
    if (this.state.isFailed && before.options !== this.props.options) this.setState({ isFailed: false })
  }
  override render() {
    return this.state.isFailed ? <WidgetNote>{this.props.text}</WidgetNote> : this.props.children
  }
}
