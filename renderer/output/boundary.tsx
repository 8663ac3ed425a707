import { Component, type ReactNode } from 'react'

interface Props {
  /** What is shown instead when the children cannot be drawn. */
  readonly fallback: ReactNode
  /** A change of it gives the children another try. */
  readonly of: unknown
  readonly children: ReactNode
}

/** One output that cannot be drawn must not take the notebook with it. */
export class Boundary extends Component<Props, { failed: unknown }> {
  override state: { failed: unknown } = { failed: null }

  static getDerivedStateFromError(): { failed: unknown } {
    return { failed: true }
  }

  override componentDidUpdate(before: Props): void {
    if (before.of !== this.props.of && this.state.failed) this.setState({ failed: null })
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children
  }
}
