/** Icons of 16 px in one stroke. They never stand alone: words or an `aria-label` say the same. */
const shapes = {
  alarm: 'M8 2.500 14 13H2zM8 6.500v3M8 11.300v.1',
  assets: 'M3 2.500h4v3H3zM9 7h4v3H9zM9 11.500h4v2H9zM5 5.500v7h4M5 8.500h4',
  audit: 'M4 2h8v12H4zM6 5h4M6 8h4M6 11h2.500',
  back: 'M9.500 3.500 5 8l4.500 4.500',
  bad: 'M5 2h6l3 3v6l-3 3H5l-3-3V5zM6 6l4 4M10 6l-4 4',
  check: 'M3 8.500 6.500 12 13 4.500',
  close: 'M4 4l8 8M12 4l-8 8',
  code: 'M5.500 4.500 2 8l3.500 3.500M10.500 4.500 14 8l-3.500 3.500',
  columns: 'M2.500 3h11v10h-11zM6.200 3v10M9.800 3v10',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  dashboards: 'M2.500 2.500h4.500v6H2.500zM9 2.500h4.500v3.500H9zM9 8h4.500v5.500H9zM2.500 10.500H7v3H2.500z',
  devices:
    'M4.500 4.500h7v7h-7zM6.500 2v2.500M9.500 2v2.500M6.500 11.500V14M9.500 11.500V14M2 6.500h2.500M2 9.500h2.500M11.500 6.500H14M11.500 9.500H14',
  down: 'M4 6l4 4 4-4',
  explore: 'M2.500 2.500v11h11M5 10l2.500-3 2 1.500L13 4.500',
  external: 'M6.500 3.500h-4v10h10v-4M9 2.500h4.500V7M13.500 2.500 7.500 8.500',
  files: 'M4 2h5l3.500 3.500V14H4zM9 2v3.500h3.500',
  filter: 'M2.500 3.500h11L9.500 8.500v4l-3 1v-5z',
  firmware: 'M8 2v7.500M4.500 6.500 8 10l3.500-3.500M2.500 13.500h11',
  forbidden: 'M4 7.500h8V14H4zM5.500 7.500V5a2.500 2.500 0 0 1 5 0v2.500',
  good: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.300 8.200l2 2 3.500-4',
  home: 'M2.500 7.500 8 2.500l5.500 5M4 6.500v7h8v-7',
  info: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 7.200v3.800M8 5v.1',
  key: 'M5.500 6a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 8l5.500-5.500M11 5l2 2',
  live: 'M8 7a1 1 0 1 0 0 2 1 1 0 0 0 0-2zM5 11a4.200 4.200 0 0 1 0-6M11 5a4.200 4.200 0 0 1 0 6M3 13a7 7 0 0 1 0-10M13 3a7 7 0 0 1 0 10',
  mail: 'M2.500 4h11v8.500h-11zM2.500 4.500 8 9l5.500-4.500',
  models: 'M8 2l5.500 3v6L8 14l-5.500-3V5zM2.500 5 8 8l5.500-3M8 8v6',
  more: 'M3.500 8v.1M8 8v.1M12.500 8v.1',
  node: 'M2 4h4.500l1.500 1.500h6v7.500H2z',
  offline: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.500 8h5',
  onboarding: 'M2.500 8h8M7 4.500 10.500 8 7 11.500M9 2.500h4.500v11H9',
  organization: 'M3 13.500v-11h6v11M9 6.500h4v7M2 13.500h12M5 5h2M5 7.500h2M5 10h2',
  people:
    'M6 3a2.300 2.300 0 1 0 0 4.600A2.300 2.300 0 0 0 6 3zM2 13c.3-2.500 1.800-3.700 4-3.700s3.700 1.200 4 3.700M10.500 3.300a2.200 2.200 0 0 1 0 4.100M11.500 9.600c1.500.4 2.300 1.500 2.500 3.400',
  plus: 'M8 3v10M3 8h10',
  rail: 'M2.500 3h11v10h-11zM6 3v10',
  redo: 'M12.500 6.500H6a3.500 3.500 0 0 0 0 7h3M10 4l2.500 2.500L10 9',
  refresh: 'M13 8a5 5 0 1 1-1.500-3.600L13 6M13 2.500V6H9.500',
  right: 'M6 4l4 4-4 4',
  rules: 'M2.500 4.500h7M12 4.500h1.500M2.500 11.500H4M6.500 11.500h7M9.500 3v3h2.500V3zM4 10v3h2.500v-3z',
  search: 'M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.500 10.500 14 14',
  settings:
    'M8 5.800a2.200 2.200 0 1 0 0 4.400 2.200 2.200 0 0 0 0-4.400zM8 1.800v2M8 12.200v2M1.800 8h2M12.200 8h2M3.600 3.600 5 5M11 11l1.400 1.400M12.400 3.600 11 5M5 11l-1.400 1.400',
  simulations: 'M2 8c1.500-5 3-5 4 0s2.500 5 4 0 2.500-4 4-1',
  undo: 'M3.500 6.500H10a3.500 3.500 0 0 1 0 7H7M6 4 3.500 6.500 6 9',
  up: 'M4 10l4-4 4 4',
  user: 'M8 2.500a2.800 2.800 0 1 0 0 5.600 2.800 2.800 0 0 0 0-5.600zM2.800 14c.4-3 2.300-4.300 5.200-4.300s4.800 1.300 5.200 4.300',
  warning: 'M8 2.500 14 13H2zM8 6.500v3M8 11.300v.1',
  zone: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.500V8l2.500 1.500',
} as const

export type IconName = keyof typeof shapes

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg aria-hidden focusable="false" width={size} height={size} viewBox="0 0 16 16" fill="none">
      <path
        d={shapes[name]}
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
