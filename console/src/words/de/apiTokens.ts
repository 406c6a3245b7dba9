import type { Translation } from '../catalogue.ts'

const words: Translation<'apiTokens'> = {
  title: 'Meine API-Tokens',
  what: 'Ein Programm mit einem Ihrer API-Tokens darf, was Sie dürfen, oder nur das, worauf das Token beschränkt ist.',
  name: 'Name',
  limits: 'Darf',
  unlimited: 'alles, was ich darf',
  nothing: 'nichts',
  expires: 'Endet',
  never: 'nie',
  expired: 'hat geendet',
  created: 'Angelegt',
  emptyTitle: 'Keine API-Tokens',
  emptyText: 'Legen Sie für jedes Programm eines an, beschränkt auf das, was es braucht.',
  create: {
    action: 'API-Token anlegen',
    title: 'Neues API-Token',
    nameHint: 'Was das Programm ist, etwa „Nachtbericht“.',
    limits: 'Es darf',
    limited: 'Nur das, wofür diese Privilegien sind, soweit ich sie habe',
    unlimited: 'Alles, was ich darf, jetzt und später',
    unlimitedHint: 'Auch anderen Zugriff geben und mein Profil ändern.',
    privileges: 'Privilegien',
    privilegesHint: '„Daten sehen“ genügt für Diagramme und Berichte.',
    chooseOne: 'Wählen Sie mindestens eines.',
    ends: 'Es endet',
    never: 'Nie',
    inDays: (days) => (days === 1 ? 'in 1 Tag' : days === 365 ? 'in einem Jahr' : `in ${days} Tagen`),
    madeTitle: 'Das API-Token',
    once: 'Es ist nur jetzt zu sehen. Kopieren Sie es dorthin, wo das Programm es liest.',
    token: 'API-Token',
    kept: 'Ich habe es kopiert',
  },
  revoke: {
    short: 'Widerrufen',
    of: (name) => `${name} widerrufen`,
    action: 'API-Token widerrufen',
    title: 'Dieses API-Token widerrufen?',
    text: 'Programme, die es benutzen, werden von der nächsten Anfrage an abgewiesen, auch solche mit Tokens, die damit angelegt wurden.',
  },
}

export default words
