import type { Translation } from '../catalogue.ts'

const words: Translation<'doctor'> = {
  title: 'Diagnose, live',
  waiting: 'Wartet auf den ersten Versuch',
  waitingForSignIn: 'Bereitgestellt, wartet auf die Anmeldung',
  waitingForValue: 'Angemeldet, wartet auf einen Wert',
  alive: 'Werte kommen an',
  quiet:
    'Von diesem Gerät ist noch nichts gekommen. Jeder Versuch erscheint hier innerhalb von zwei Sekunden, auch ein abgelehnter. Ist das Gerät an und nichts erscheint, erreicht es diesen Server nicht: Prüfen Sie sein Netz und die Adresse.',
  clientHidden:
    'Das Gerät hat einen Client, den Sie nicht sehen dürfen: Seine Verbindungen und Nachrichten fehlen hier.',
  old: 'Der neueste Stand konnte nicht geladen werden. Gezeigt wird ein älterer.',
  settled: 'vorbei',
  from: 'von',
  otherId: (id) =>
    `Ein Gerät nennt sich „${id}“, und niemand hat diese Kennung. Ist es Ihres, berichtigen Sie die Kennung im Gerät.`,
  events: {
    settings: 'Einstellungen erfragt',
    provisioning: 'Bereitstellung',
    certificate: 'Zertifikat erfragt',
    mqtt_sign_in: 'Anmeldung per MQTT',
    tls_handshake: 'Verbindung per TLS',
    connected: 'Verbunden',
    disconnected: 'Verbindung beendet',
    refused: 'Abonnement abgelehnt',
    message: 'Nachricht abgelehnt',
    value: 'Wert gespeichert',
  },
  went: 'erledigt',
  done: {
    settings_sent: 'beantwortet',
    session_opened: 'verbunden',
    enrollment_created: 'bereitgestellt',
    already_provisioned: 'schon bereitgestellt',
    certificate_issued: 'ausgestellt',
    value_stored: 'im Diagramm',
  },
  ends: {
    client_disconnected: 'vom Gerät',
    connection_lost: 'abgebrochen',
    server_stopped: 'der Server hielt an',
    session_taken_over: 'neu verbunden',
  },
  faults: {
    device_unknown: { name: 'Unbekannte Kennung', text: 'Keine Gruppe hat ein Gerät mit dieser Kennung.' },
    device_not_registered: {
      name: 'Nicht registriert',
      text: 'Die Gruppe hat kein Gerät mit dieser Kennung.',
    },
    device_not_provisioned: {
      name: 'Nicht bereitgestellt',
      text: 'Das Gerät ist registriert, aber der Broker kennt es noch nicht.',
    },
    bootstrap_key_wrong: {
      name: 'Falscher Schlüssel',
      text: 'Der Schlüssel gehört zu keiner Gruppe, die dieses Gerät hat. Er ist vertippt oder von vor einem Wechsel. Geben Sie dem Gerät den jetzigen Schlüssel.',
    },
    bootstrap_key_not_allowed: {
      name: 'Gruppenschlüssel nicht erlaubt',
      text: 'Das ist der Schlüssel der ganzen Gruppe. Die Gruppe nimmt nur den Schlüssel des Geräts selbst.',
    },
    too_many_failures: {
      name: 'Zu viele falsche Schlüssel',
      text: 'Nach zehn falschen Schlüsseln in einer Minute muss das Gerät warten. Berichtigen Sie den Schlüssel; nach spätestens einer Minute darf es wieder.',
    },
    group_disabled: {
      name: 'Gruppe gesperrt',
      text: 'Die Gruppe ist gesperrt, deshalb bekommt keines ihrer Geräte Einstellungen.',
    },
    client_unknown: {
      name: 'Unbekannte Kennung',
      text: 'Der Broker hat kein Gerät mit diesem Benutzernamen. Der Benutzername muss die Gerätekennung sein.',
    },
    client_key_wrong: {
      name: 'Falsches Passwort',
      text: 'Das Passwort ist keiner der Schlüssel aus den Einstellungen des Geräts. Holen Sie die Einstellungen und melden Sie sich mit „primary“ an.',
    },
    client_disabled: { name: 'Gerät gesperrt', text: 'Das Gerät ist am Broker gesperrt.' },
    provider_unavailable: {
      name: 'Broker nicht verfügbar',
      text: 'Der Provider des Ziels antwortete nicht, wie er soll. Prüfen Sie seine Adresse und seinen API-Schlüssel.',
    },
    server_certificate_refused: {
      name: 'TLS: Zertifikat nicht vertraut',
      text: 'Das Gerät brach den TLS-Aufbau ab, weil es dem Zertifikat dieses Servers nicht vertraut. Geben Sie ihm das Zertifikat der Zertifizierungsstelle (ca.crt), und verbinden Sie es mit einem Host, den das Zertifikat nennt.',
    },
    tls_expected: {
      name: 'TLS: Klartext gesprochen',
      text: 'Das Gerät spricht ohne TLS mit einem Port, der nur TLS annimmt. Schalten Sie TLS im Gerät ein, oder nehmen Sie den Port ohne TLS.',
    },
    tls_not_expected: {
      name: 'TLS: an einem Port ohne TLS',
      text: 'Das Gerät spricht TLS mit einem Port, der nur Klartext annimmt. Nehmen Sie den Port mit TLS.',
    },
    tls_handshake_failed: {
      name: 'TLS: Aufbau gescheitert',
      text: 'Gerät und Server fanden keine gemeinsame Version oder Chiffre von TLS. Nötig ist TLS 1.2 oder neuer.',
    },
    topic_not_allowed: {
      name: 'Falsches Topic',
      text: 'Ein Gerät darf nur Topics unter devices/ und seiner Kennung verwenden.',
    },
    unknown_topic: {
      name: 'Falsches Topic',
      text: 'Die Nachricht kam an, aber die Plattform liest nichts auf diesem Topic. Nichts wurde gespeichert.',
    },
    not_json: {
      name: 'Kein gültiges JSON',
      text: 'Die Nachricht kam an, ist aber kein JSON. Nichts wurde gespeichert.',
    },
    not_an_object: {
      name: 'Wert nicht gespeichert',
      text: 'Die Nachricht ist JSON, aber kein Objekt: Ein Wert braucht einen Namen, etwa {"temperature": 21.5}.',
    },
    bad_timestamp: {
      name: 'Wert nicht gespeichert',
      text: 'Der Zeitstempel ist keine Zeit nach ISO 8601, etwa "2026-01-31T08:00:00Z". Ohne ihn gilt die Zeit der Ankunft.',
    },
    bad_name: { name: 'Wert nicht gespeichert', text: 'Der Name eines Signals ist nicht erlaubt.' },
    bad_value: {
      name: 'Wert nicht gespeichert',
      text: 'Ein Wert ist von einer Art, die nicht gespeichert werden kann.',
    },
    refused_by_storage: {
      name: 'Wert nicht gespeichert',
      text: 'Die Datenbank lehnte die Werte dieser Nachricht ab.',
    },
    too_many_signals: { name: 'Wert nicht gespeichert', text: 'Die Nachricht hat zu viele Signale.' },
    message_too_large: { name: 'Nachricht zu groß', text: 'Der Broker beendete die Verbindung.' },
    protocol_error: {
      name: 'Fehler im Protokoll',
      text: 'Was das Gerät sendet, ist kein MQTT. Prüfen Sie seine Client-Bibliothek.',
    },
    keep_alive_timeout: {
      name: 'Verstummt',
      text: 'Anderthalb Keep-alive-Zeiten lang kam nichts, deshalb beendete der Broker die Verbindung.',
    },
    keys_rotated: {
      name: 'Schlüssel ersetzt',
      text: 'Die Schlüssel des Geräts wurden ersetzt, während es verbunden war. Es muss seine Einstellungen neu holen.',
    },
    too_many_sessions: {
      name: 'Zu viele Verbindungen',
      text: 'Das Gerät hat so viele Verbindungen, wie es haben darf.',
    },
    provider_rejected: {
      name: 'Vom Provider abgelehnt',
      text: 'Der Provider des Ziels nimmt dieses Gerät nicht. Suchen Sie es dort; was der Provider sagte, steht darunter.',
    },
    provider_slow: {
      name: 'Provider zu langsam',
      text: 'Der Provider antwortete nicht in der Zeit, die ein Gerät wartet. Das Gerät versucht es wieder; prüfen Sie den Provider.',
    },
    provider_paused: {
      name: 'Provider pausiert',
      text: 'Der Provider antwortete mehrmals nicht und wird deshalb einige Sekunden nicht gefragt. Danach wird er von selbst wieder gefragt; prüfen Sie ihn.',
    },
    stored_credentials_used: {
      name: 'Gespeicherte Schlüssel benutzt',
      text: 'Der Provider antwortete nicht, und das Gerät bekam die zuletzt bekannten Schlüssel. Prüfen Sie den Provider, bevor diese zu alt sind.',
    },
    stored_credentials_missing: {
      name: 'Provider weg, keine Schlüssel gespeichert',
      text: 'Der Provider antwortete nicht, und für dieses Gerät sind keine Schlüssel gespeichert: Es hat seine Einstellungen nie geholt, während der Provider antwortete. Prüfen Sie den Provider.',
    },
    stored_credentials_expired: {
      name: 'Provider weg, Schlüssel zu alt',
      text: 'Der Provider antwortete nicht, und die gespeicherten Schlüssel sind älter, als die Gruppe erlaubt. Prüfen Sie den Provider, oder lassen Sie die Gruppe ältere Schlüssel erlauben.',
    },
    group_unknown: {
      name: 'Unbekannte Gruppe',
      text: 'Es gibt keine Gruppe mit dieser Kennung. Vergleichen Sie die Kennung im Gerät mit der Liste der Gruppen.',
    },
    client_id_missing: {
      name: 'Keine Client-Kennung',
      text: 'Das Gerät will eine Sitzung, die bleibt, und nennt keine Client-Kennung. Senden Sie die Gerätekennung als Client-Kennung, oder verlangen Sie eine neue Sitzung (clean session).',
    },
    will_not_allowed: {
      name: 'Letzter Wille nicht erlaubt',
      text: 'Der letzte Wille (will) des Geräts steht auf einem Topic anderer oder ist zu groß. Legen Sie ihn auf ein Topic unter devices/ und der Gerätekennung.',
    },
    connections_per_address: {
      name: 'Zu viele Verbindungen einer Adresse',
      text: 'Die Adresse, von der das Gerät kommt, hat so viele Verbindungen, wie sie haben darf. Schließen Sie einige, oder erhöhen Sie GANGWAY_MQTT_CONNECTIONS_PER_ADDRESS.',
    },
    unknown_certificate: {
      name: 'Unbekanntes Zertifikat',
      text: 'Diese Plattform hat das Zertifikat nicht für das Gerät ausgestellt, das es nennt. Lassen Sie das Gerät ein Zertifikat holen, und nehmen Sie dieses.',
    },
    user_name_differs: {
      name: 'Anderer Benutzername',
      text: 'Der Benutzername ist nicht das Gerät, das das Zertifikat nennt. Lassen Sie ihn leer, oder senden Sie die Gerätekennung.',
    },
    certificate_revoked: {
      name: 'Zertifikat widerrufen',
      text: 'Das Zertifikat des Geräts wurde widerrufen. Vertrauen Sie dem Gerät noch, dann lassen Sie es mit seinem Schlüssel ein neues holen.',
    },
    certificate_authority_revoked: {
      name: 'Zertifizierungsstelle widerrufen',
      text: 'Die Zertifizierungsstelle, die das Zertifikat ausstellte, wurde widerrufen. Lassen Sie das Gerät mit seinem Schlüssel ein neues holen.',
    },
    certificate_expired_may_renew: {
      name: 'Zertifikat seit Kurzem abgelaufen',
      text: 'Das Gerät kann sich damit nicht mehr verbinden, darf es aber noch erneuern. Lassen Sie es erneuern, bevor die Frist der Gruppe um ist.',
    },
    certificate_expired: {
      name: 'Zertifikat abgelaufen',
      text: 'Lassen Sie das Gerät mit seinem Schlüssel ein neues holen, und finden Sie heraus, warum es nicht rechtzeitig erneuert hat.',
    },
    certificate_not_yet_valid: {
      name: 'Zertifikat noch nicht gültig',
      text: 'Das Zertifikat gilt ab einer späteren Zeit. Die Uhr des Servers geht falsch oder ging falsch, als es ausgestellt wurde.',
    },
    certificate_superseded: {
      name: 'Ersetztes Zertifikat',
      text: 'Seither hat sich ein neueres Zertifikat dieses Geräts verbunden. Nehmen Sie das neuere. Hat das Gerät es nicht, dann haben zwei Geräte dieselbe Kennung.',
    },
    certificate_of_other_tenant: {
      name: 'Kennung eines anderen Mandanten',
      text: 'Der Broker hat diese Kennung für einen anderen Mandanten. Geben Sie dem Gerät eine andere.',
    },
    manufacturer_certificate_refused: {
      name: 'Zertifikat des Herstellers abgelehnt',
      text: 'Das Zertifikat des Herstellers führt zu keiner Zertifizierungsstelle, der die Gruppe vertraut, oder nennt ein anderes Gerät. Vergleichen Sie es mit den Zertifizierungsstellen der Gruppe.',
    },
    other_group: {
      name: 'Andere Gruppe',
      text: 'Der Schlüssel oder das Zertifikat gehört zu einer anderen Gruppe, als die Adresse nennt. Nehmen Sie die Adresse der Gruppe dieses Geräts.',
    },
    certificates_not_enabled: {
      name: 'Keine Zertifikate in dieser Gruppe',
      text: 'Die Gruppe stellt keine Zertifikate aus. Schalten Sie sie in der Gruppe ein.',
    },
    tier_too_low: {
      name: 'Stärkerer Nachweis nötig',
      text: 'Die Gruppe verlangt einen stärkeren Nachweis als diesen. Nehmen Sie, was die Gruppe verlangt, oder lassen Sie die Gruppe weniger verlangen.',
    },
    certificate_required: {
      name: 'Zertifikat nötig',
      text: 'Nur das jetzige Zertifikat des Geräts lässt sich erneuern, und es kam keines. Holen Sie eines mit anderen Zugangsdaten (simpleenroll).',
    },
    request_refused: {
      name: 'Zertifikatsanforderung abgelehnt',
      text: 'Die Anforderung eines Zertifikats wird nicht angenommen. Berichtigen Sie sie, wie die Zeile darunter sagt.',
    },
    enrollment_in_progress: {
      name: 'Ausstellung läuft',
      text: 'Für das Gerät wird gerade ein Zertifikat ausgestellt. Lassen Sie es warten und noch einmal anfragen.',
    },
    too_many_certificates: {
      name: 'Zu viele Zertifikate',
      text: 'Das Gerät hat so viele Zertifikate bekommen, wie es an einem Tag bekommen darf. Finden Sie heraus, warum es seines nicht behält.',
    },
    connection_lost: {
      name: 'Verbindung abgebrochen',
      text: 'Das Gerät legte vor der Antwort auf. Prüfen Sie sein Netz und seine Wartezeiten.',
    },
    server_unavailable: {
      name: 'Server nicht bereit',
      text: 'Der Server konnte nicht entscheiden, zum Beispiel weil seine Datenbank nicht antwortete. Das Gerät darf es wieder versuchen; sehen Sie auf der Seite System nach.',
    },
    client_deleted: {
      name: 'Gerät gelöscht',
      text: 'Der Client des Geräts wurde am Broker gelöscht. Stellen Sie das Gerät neu bereit.',
    },
    too_slow: {
      name: 'Zu langsam',
      text: 'Das Gerät nimmt nicht ab, was ihm gesendet wird, deshalb beendete der Broker die Verbindung.',
    },
    storage_unavailable: {
      name: 'Speicher nicht bereit',
      text: 'Der Server konnte eine Nachricht 30 Sekunden lang nicht speichern und beendete die Verbindung. Das Gerät soll sie noch einmal senden.',
    },
    too_many_subscriptions: {
      name: 'Zu viele Abonnements',
      text: 'Das Gerät hat so viele Abonnements, wie eine Sitzung haben darf. Abonnieren Sie weniger Topics oder eines mit Platzhalter.',
    },
    bad_format: {
      name: 'Wert nicht gespeichert',
      text: 'Die Nachricht hat nicht das Format, das der Parser dieses Geräts liest. Berichtigen Sie die Nachricht, oder wählen Sie einen anderen Parser.',
    },
    bad_checksum: {
      name: 'Falsche Prüfsumme',
      text: 'Die Prüfsumme passt nicht zur Nachricht: Unterwegs gingen Bytes verloren oder wurden verändert. Prüfen Sie die Leitung zum Zähler, und senden Sie das Telegramm, wie es kam.',
    },
    repeated_signal: {
      name: 'Wert nicht gespeichert',
      text: 'Ein Signal steht zweimal für eine Zeit. Senden Sie jedes Signal einmal, oder geben Sie jedem seine Zeit.',
    },
    too_many_series: {
      name: 'Zu viele Namen',
      text: 'Das Gerät hat so viele verschiedene Namen gesendet, wie es darf. Senden Sie weniger, und was sich ändert, etwa eine Kennung oder eine Zeit, als Wert.',
    },
    too_much_work: {
      name: 'Nachricht zu verwickelt',
      text: 'Diese Nachricht zu lesen dauert zu lange. Senden Sie weniger Listen, Objekte und Namen in einer Nachricht, oder vereinfachen Sie den Ausdruck des Parsers.',
    },
    parser_unusable: {
      name: 'Parser unbrauchbar',
      text: 'Der Parser dieses Geräts arbeitet mit seinen Optionen nicht, deshalb wird keine seiner Nachrichten gelesen. Berichtigen Sie die Optionen.',
    },
    twin_too_large: {
      name: 'Eigenschaften nicht gespeichert',
      text: 'Alle gemeldeten Eigenschaften des Geräts zusammen wären zu groß. Melden Sie weniger oder kürzere, und entfernen Sie alte mit null.',
    },
    bad_method_response: {
      name: 'Falsche Antwort auf eine Methode',
      text: 'Die Antwort muss ein Objekt mit status und payload sein, etwa {"status": 200, "payload": null}.',
    },
    no_method_waiting: {
      name: 'Antwort ohne Frage',
      text: 'Niemand wartet auf diese Antwort: Sie kam zu spät, zweimal oder ungefragt. Antworten Sie früher und nur einmal.',
    },
    not_retained: {
      name: 'Nachricht nicht aufbewahrt',
      text: 'Das Gerät hat so viele aufbewahrte Nachrichten (retained), wie es darf. Löschen Sie zuerst einige, mit einer leeren aufbewahrten Nachricht auf ihrem Topic.',
    },
  },
  hints: {
    comma: 'Ein Komma steht, wo ein Dezimalpunkt stehen sollte.',
    'single-quotes': 'JSON nimmt doppelte Anführungszeichen, keine einfachen.',
    'no-quotes':
      'Den Namen fehlen die doppelten Anführungszeichen. Eine Shell kann sie entfernt haben: Setzen Sie einfache um die Nachricht.',
    'cut-off': 'Das Ende fehlt. Der Puffer des Geräts kann zu klein sein.',
    'not-a-number':
      'JSON kennt kein NaN, None oder True: Nehmen Sie null, true und false, oder lassen Sie den Wert weg.',
    'trailing-comma': 'Nach dem letzten Eintrag steht ein Komma.',
  },
  cures: {
    'copy-key': 'Jetzigen Schlüssel kopieren',
    'copy-settings-command': 'Befehl für seine Einstellungen kopieren',
    'copy-topic': 'Richtiges Topic kopieren',
    'copy-payload': 'Gültige Nachricht kopieren',
    'copy-id': 'Richtige Kennung kopieren',
    'copy-tls-address': 'Adresse mit TLS kopieren',
    'copy-plain-address': 'Adresse ohne TLS kopieren',
    'get-ca': 'ca.crt herunterladen',
    'enable-group': 'Gruppe freigeben',
    'enable-client': 'Gerät freigeben',
    register: 'Gerät registrieren',
    provision: 'Gerät bereitstellen',
    'see-readiness': 'Ansehen, wer welchen Schlüssel benutzt',
    'see-group': 'Gruppe öffnen',
    'see-certificates': 'Seine Zertifikate ansehen',
    'see-enrolment': 'Ansehen, wer Zertifikate holen darf',
  },
}

export default words
