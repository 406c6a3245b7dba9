import { createTheme } from '@mantine/core'

const controlVariables = { '--input-height': 'var(--control)', '--input-fz': 'var(--size)' }
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

const createComponents = (closing: object) => ({
  Button: {
    defaultProps: { variant: 'default' },
    vars: (_theme: unknown, { variant, color }: { variant?: string; color?: string }) => ({
      root: {
        ...(variant === 'filled' && {
          '--button-color': color === 'red' ? 'var(--on-bad)' : 'var(--on-accent)',
        }),
        '--button-height': 'var(--control)',
        '--button-padding-x': '12px',
        '--button-fz': 'var(--size)',
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
