import type { Translation } from '../catalogue.ts'

const words: Translation<'organizations'> = {
  title: 'Organisationen',
  what: 'Organisationen stehen untereinander. Was Beziehungen in einer geben, gilt auch in allen darunter.',
  name: 'Name',
  description: 'Beschreibung',
  id: 'Id',
  privileges: 'Privilegien',
  privilegesHint:
    'Was hier und darunter wirksam sein kann. Eine Beziehung gibt ein Privileg nur, wo es wirksam ist.',
  notAbove: 'in der Organisation darüber nicht wirksam',
  all: 'alle',
  of: (count, all) => `${count} von ${all}`,
  relations: 'Beziehungen',
  orMore: (count) => `${count} oder mehr`,
  search: 'Nach Namen suchen',
  below: (name) => `Was unter ${name} steht`,
  level: (level) => `Ebene ${level}`,
  firstOf: (count) => `der Baum hat die ersten ${count} Organisationen. Andere finden Sie am Namen.`,
  emptyTitle: 'Keine Organisationen, die Sie sehen dürfen',
  emptyText: 'Eine Organisation sieht, wer eine Beziehung zu ihr oder zu einer darüber hat.',
  root: 'Zuoberst im Mandanten',
  under: 'Unter',
  contactUsers: 'Kontakte: Benutzer',
  contactGroups: 'Kontakte: Benutzergruppen',
  contactsHint: 'Wen Benachrichtigungen dieser Organisation erreichen.',
  save: 'Organisation speichern',
  readOnly: 'Sie dürfen diese Organisation ansehen und nicht ändern.',
  tabs: { settings: 'Einstellungen', relations: 'Beziehungen auf sie', objects: 'Was sie sehen darf' },
  create: {
    action: 'Organisation anlegen',
    title: 'Neue Organisation',
    below: 'Eine darunter anlegen',
    parent: 'Unter',
    atTop: 'Zuoberst im Mandanten',
    template: 'Vorlage',
    templateHint: 'Sie gibt Beschreibung, Privilegien und Kontakte, die hier nicht gewählt sind.',
    noTemplate: 'keine: alle Privilegien der Organisation darüber',
  },
  remove: {
    action: 'Organisation löschen',
    mayNot: 'Sie dürfen diese Organisation nicht löschen.',
    title: 'Diese Organisation löschen?',
    text: 'Alle Beziehungen auf sie gehen verloren. Eine Organisation, die noch etwas enthält, wird nicht gelöscht.',
  },
}

export default words
