/**
 * Modules keep no state: test files share them, and so do several platforms of one process. Formatted code has what
 * stands at the top of a module at the start of a line, and nothing else of the kind.
 *
 * A `WeakMap` or `WeakSet` is no state in this sense: what it knows goes with the object that it knows it of.
 */
const VARIABLE = /^(?:export )?(?:let|var) (\w+|[[{][^=]*)/gm
const COLLECTION =
  /^(?:export )?const (\w+)(?:: [^=\n]+(?:=>[^=\n]+)*)? = (?:new (?:Map|Set|Array)\b|\[|\{)/gm
/** They remember what they were asked, or count it. */
const MEMORY =
  /^(?:export )?const (\w+)(?:: [^=\n]+)? =\s+(?:createMemo|coalesce|createGroupCommit|createFailureLimit|setInterval|setTimeout)\b/gm

const namesIn = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name)

const MUTATORS = 'set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin'

/** Whether the text changes what the name stands for: by a method, by an assignment to a part of it, or by a function. */
const changes = (text, name) =>
  [`\\.(?:${MUTATORS})\\(`, '(?:\\.\\w+|\\[[^\\]\\n]*\\])+(?:\\+\\+|--| (?:[-+*/|&?%^]{1,2})?= )'].some(
    (use) => new RegExp(`(?<![\\w.'])${name}${use}`).test(text),
  ) || new RegExp(`delete ${name}[.[]|Object\\.assign\\(${name}\\b`).test(text)

const imports = (text, name) => new RegExp(`^import (?!type )[^'"]*\\b${name}\\b[^'"]*from`, 'm').test(text)

/**
 * @param modules {file, text}, without tests
 * @returns problems, as sentences
 */
export function findModuleState(modules) {
  const problems = []
  for (const { file, text } of modules) {
    for (const name of namesIn(text, VARIABLE))
      problems.push(`${file} has a variable ${name} of its module: keep it in what a function makes`)
    for (const name of namesIn(text, MEMORY))
      problems.push(`${file} keeps ${name} in its module: make it where the context is made`)
    for (const name of namesIn(text, COLLECTION)) {
      const writer = modules.find(
        (one) => (one.file === file || imports(one.text, name)) && changes(one.text, name),
      )
      if (writer)
        problems.push(
          `${writer.file} changes ${name}, which belongs to the module ${file}: no module keeps state`,
        )
    }
  }
  return problems
}
