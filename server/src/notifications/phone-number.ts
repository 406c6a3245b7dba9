/**
 * People write numbers in many ways: `+49 (0)170 / 123-4567`, `0049 170 1234567`.
 * @returns the number as E.164; undefined if the text is not an international number
 */
export function internationalNumber(text: string): string | undefined {
  const bare = text
    // The trunk prefix, which is dialled only within the country.
    .replace(/\(0\)/, '')
    .replace(/[\s().\-/\u00a0\u2010-\u2015]/g, '')
    .replace(/^00/, '+')
  return /^\+[1-9][0-9]{6,14}$/.test(bare) ? bare : undefined
}
