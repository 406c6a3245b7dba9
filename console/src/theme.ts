import { createTheme } from '@mantine/core'

const controlVariables = { '--input-height': 'var(--control)', '--input-fz': 'var(--size)' }
const buttonVariables = {
  '--button-height': 'var(--control)',
  '--button-padding-x': '12px',
  '--button-fz': 'var(--size)',
}
/** Buttons within a sentence or a row. 24 pixels are the least height of a target by WCAG 2.2. */
const compactButtonVariables = {
  '--button-height': '24px',
  '--button-padding-x': '8px',
  '--button-fz': 'var(--size-small)',
}
const still = { transitionProps: { duration: 0 } }
/** The page itself does not scroll, so it need not be locked, which takes a style element. */
const quick = { lockScroll: false, transitionProps: { duration: 100 } }

/**
 * What Mantine keeps in JavaScript; colors, fonts, sizes and shadows stand in `tokens.css`. The components are named and
 * not imported, so that the first load has only those that it shows.
 */
export const createConsoleTheme = (words: { close: string }) =>
  createTheme({
    primaryColor: 'blue',
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: createComponents({ closeButtonProps: { 'aria-label': words.close } }),
  })

interface ButtonProps {
  variant?: string
  color?: string
  size?: string
}

const createComponents = (closing: object) => ({
  Button: {
    defaultProps: { variant: 'default' },
    vars: (_theme: unknown, { variant, color, size }: ButtonProps) => ({
      root: {
        ...(size?.startsWith('compact-') ? compactButtonVariables : buttonVariables),
        ...(variant === 'filled' && {
          '--button-color': color === 'red' ? 'var(--on-bad)' : 'var(--on-accent)',
        }),
      },
    }),
  },
  InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
  Input: { vars: () => ({ wrapper: controlVariables }) },
  Select: { defaultProps: { allowDeselect: false, checkIconPosition: 'right', comboboxProps: still } },
  Checkbox: { defaultProps: { size: 'xs' } },
  Menu: { defaultProps: { position: 'bottom-end', shadow: 'md', ...still } },
  Popover: { defaultProps: { shadow: 'md', ...still } },
  Tooltip: { defaultProps: { openDelay: 300, multiline: true, maw: 320, ...still } },
  Modal: { defaultProps: { centered: true, ...quick, ...closing } },
  Drawer: { defaultProps: { position: 'right', ...quick, ...closing } },
})
