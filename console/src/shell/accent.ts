/** A contrast of 4.5 to the ground, as WCAG asks of text. */
const ENOUGH = 4.6
const grounds = { light: '#e6eefb', dark: '#18263c' }

type Color = readonly [number, number, number]

/** The tokens of an accent: the color itself, or the nearest shade of it that can be read. */
export function accentVariables(hex: string, isDark: boolean): Record<string, string> {
  const base = readHex(hex)
  if (base === undefined) return {}
  const ground = readHex(isDark ? grounds.dark : grounds.light)!
  const accent = findReadable(base, ground, isDark ? 255 : 0)
  const color = (shade: Color) => `rgb(${shade.map(Math.round).join(' ')})`
  return {
    '--accent': color(accent),
    '--accent-hover': color(mix(accent, isDark ? 255 : 0, 0.14)),
    '--accent-text': color(accent),
    '--focus': color(accent),
    '--on-accent': contrast(accent, [255, 255, 255]) >= ENOUGH ? '#ffffff' : '#0b1420',
  }
}

/** Mixed with black or white, a little more each time. */
function findReadable(base: Color, ground: Color, towards: number): Color {
  for (let share = 0; share < 1; share += 0.05) {
    const shade = mix(base, towards, share)
    if (contrast(shade, ground) >= ENOUGH) return shade
  }
  return [towards, towards, towards]
}

const mix = (color: Color, towards: number, share: number): Color => [
  color[0] + (towards - color[0]) * share,
  color[1] + (towards - color[1]) * share,
  color[2] + (towards - color[2]) * share,
]

function readHex(hex: string): Color | undefined {
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(hex)
  const long = short
    ? `#${short
        .slice(1)
        .map((digit) => digit + digit)
        .join('')}`
    : hex
  const parts = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})/i.exec(long)
  if (parts === null) return undefined
  return [Number.parseInt(parts[1]!, 16), Number.parseInt(parts[2]!, 16), Number.parseInt(parts[3]!, 16)]
}

function contrast(a: Color, b: Color): number {
  const [dark, light] = [luminance(a), luminance(b)].toSorted((x, y) => x - y) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: Color): number {
  const [red, green, blue] = color.map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
