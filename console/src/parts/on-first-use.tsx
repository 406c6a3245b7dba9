import {
  cloneElement,
  type ComponentType,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react'
import { lazyPart } from '../load-part.ts'
import { PartBoundary } from './PartBoundary.tsx'

/** Any element that can be pressed. */
export type MenuButton = ReactElement<{ onClick?: () => void; 'aria-haspopup'?: boolean }>

/**
 * A button whose menu is loaded when it is first pressed, which keeps menus out of the first load:
 *
 *     const UserMenu = onFirstUse(() => import('./UserMenu.tsx'))
 *     <UserMenu button={<button>…</button>} />
 *
 * @param load the menu, which renders the same button as its target
 */
export function onFirstUse<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props & { button: MenuButton }> }>,
) {
  const Menu = lazyPart(load) as unknown as ComponentType<Props & { button: MenuButton }>
  return function OnFirstUse(props: Props & { button: MenuButton }) {
    const [isUsed, setUsed] = useState(false)
    const closed = cloneElement(props.button, { onClick: () => setUsed(true), 'aria-haspopup': true })
    if (!isUsed) return closed
    return (
      <PartBoundary fallback={closed}>
        <Pressed>
          <Menu {...props} />
        </Pressed>
      </PartBoundary>
    )
  }
}

/** Repeats the press that loaded the menu, now on its own button, so that the focus returns there. */
function Pressed({ children }: { children: ReactNode }) {
  const place = useRef<HTMLSpanElement>(null)
  const isPressed = useRef(false)
  useEffect(() => {
    if (isPressed.current) return
    isPressed.current = true
    const button = place.current?.querySelector('button')
    button?.focus()
    button?.click()
  }, [])
  return (
    <span ref={place} style={{ display: 'contents' }}>
      {children}
    </span>
  )
}
