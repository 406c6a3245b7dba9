import type { Translation } from '../catalogue.ts'

const words: Translation<'kiosk'> = {
  noTokenTitle: 'Diese Adresse ist nicht vollständig',
  noToken:
    'Der Link zu einem Dashboard endet mit „#token=“ und einem langen Text. Kopieren Sie den ganzen Link.',
  endedTitle: 'Dieser Link hat geendet',
  ended:
    'Seine Zeit ist um, er wurde widerrufen, oder wer ihn angelegt hat, kann sich nicht mehr anmelden oder darf das Dashboard nicht mehr sehen. Wer das Dashboard teilen darf, kann einen neuen anlegen.',
  tryAgain: 'Noch einmal versuchen',
  share: 'Teilen',
  people: 'Mit Personen',
  peopleText: 'Sie melden sich an und sehen, was sie sehen dürfen.',
  toAccess: 'Wer dieses Dashboard sehen und ändern darf',
  screen: 'Mit einem Bildschirm',
  screenText:
    'Wer einen solchen Link hat, sieht dieses Dashboard ohne Anmeldung, mit den Assets, Alarmen und Bildern darauf, soweit Sie sie sehen dürfen, und sonst nichts. Nichts kann geändert oder gesendet werden. Wer das Dashboard ändern darf, ändert damit, was der Link zeigt.',
  opensWith: 'Er öffnet sich mit dem Reiter und der Zeit, die jetzt gewählt sind.',
  mayNotShare: 'Sie dürfen dieses Dashboard ansehen, aber nicht teilen.',
  name: 'Wo der Bildschirm ist',
  nameHint: 'Damit Sie später wissen, welcher Link zu widerrufen ist, etwa „Halle 3, Eingang“.',
  make: 'Link anlegen',
  made: 'Der Link ist nur jetzt zu sehen. Öffnen Sie ihn auf dem Bildschirm, und geben Sie ihn niemandem, der das Dashboard nicht sehen darf.',
  link: 'Link',
  another: 'Noch einen Link anlegen',
  links: 'Links dieses Dashboards',
  noLinks: 'Es gibt noch keinen Link.',
  by: (name) => `angelegt von ${name}`,
  ends: 'Endet',
  hasEnded: 'hat geendet',
  revoke: 'Link widerrufen',
  revokeOf: (name) => `Link widerrufen: ${name}`,
  revokeTitle: 'Diesen Link widerrufen?',
  revokeText: 'Bildschirme, die das Dashboard mit diesem Link zeigen, verlieren es sofort.',
}

export default words
