/**
 * People write numbers in many ways: `+49 (0)170 / 123-4567`, `0049 170 1234567`.
 * @returns the number as E.164; undefined where the text is no international number
 */
export function internationalNumber(text: string): string | undefined {
  const bare = text
    // The digit that is dialled only inside of the country.
    .replace(/\(0\)/, '')
    .replace(/[\s().\-/\u00a0\u2010-\u2015]/g, '')
    .replace(/^00/, '+')
  return /^\+[1-9][0-9]{6,14}$/.test(bare) ? bare : undefined
}
