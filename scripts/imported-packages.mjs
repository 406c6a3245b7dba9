import { isBuiltin } from 'node:module'

/** What formatted code imports from packages at run time; types are gone by then. */
const IMPORTS = [
  /^(?:import|export) (?!type )[\w{},*\s]*? from '([^.'][^']*)'/gm,
  /^import '([^.'][^']*)'/gm,
  /\bimport\('([^.'][^']*)'\)/g,
]

const packageName = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

/**
 * Development packages are not installed where the server runs, so every imported package must be a dependency.
 *
 * @param sources {file, text}, without tests
 * @param dependencies names and versions, by workspace
 * @returns problems, as sentences
 */
export const findMissingPackages = (sources, dependencies) =>
  sources.flatMap(({ file, text }) => {
    const [workspace] = file.split('/')
    const imported = IMPORTS.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(([, name]) => packageName(name)),
    )
    return imported
      .filter((name) => !isBuiltin(name) && dependencies[workspace]?.[name] === undefined)
      .map((name) => `${file} imports ${name}: add it to the dependencies in ${workspace}/package.json`)
  })
