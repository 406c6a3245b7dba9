/** @returns the code blocks of a language in a Markdown text, one after the other */
export const codeBlocks = (markdown: string, language: string): string =>
  [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, tag]) => tag === language)
    .map(([, , text]) => text)
    .join('\n')
