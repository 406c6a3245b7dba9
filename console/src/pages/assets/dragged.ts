import type { TreeChild } from './place.ts'

const TYPE = 'application/x-gangway-tree'

/** Writes the dragged entries under a type of its own, so that nothing else that is dropped is taken for them. */
export function writeDragged(transfer: DataTransfer, things: TreeChild[]) {
  transfer.setData(TYPE, JSON.stringify(things))
  transfer.effectAllowed = 'move'
}

export const hasDragged = (transfer: DataTransfer) => transfer.types.includes(TYPE)

export const readDragged = (transfer: DataTransfer): TreeChild[] => JSON.parse(transfer.getData(TYPE))
