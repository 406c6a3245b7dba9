/** Keeps the parameters of the model in the repository, since to find them takes a while. `npm run generate` writes them. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Model } from './costs.ts'
import { type Figures, PARTS } from './figures.ts'
import { fitModel, refineModel } from './fit.ts'

const FILE = fileURLToPath(new URL('../../figures/scaling-model.json', import.meta.url))

/** Another round of the fit may change a cost by so many times: it ends near by, not at one value. */
const TOLERANCE = 0.1
const TOLERANCE_US = 1

export const readModel = (): Model => JSON.parse(readFileSync(FILE, 'utf8'))

/** @returns the file */
export const writeModel = (model: Model): string => `${JSON.stringify(model, null, 2)}\n`

/** @returns the model, or a new one if another round of the fit would change it */
export const renewModel = (figures: Figures, model: Model): Model =>
  listChanges(figures, model).length === 0 ? model : fitModel(figures)

/** @returns the costs that another round of the fit would change */
export function listChanges(figures: Figures, model: Model): string[] {
  const refined = listCosts(refineModel(figures, model))
  return listCosts(model).flatMap(({ name, us }, index) => {
    const other = refined[index]!.us
    const isNear = Math.abs(other - us) <= Math.max(TOLERANCE * us, TOLERANCE_US)
    return isNear ? [] : [`${name}: ${us} µs, ${other} µs`]
  })
}

const listCosts = (model: Model): { name: string; us: number }[] =>
  (['direct', 'stream'] as const).flatMap((way) =>
    PARTS.flatMap((part) =>
      Object.entries(model[way][part]).map(([kind, us]) => ({ name: `${way} ${part} ${kind}`, us })),
    ),
  )
