/** Texts of the doctor: events, faults and cures. */
export default {
  title: 'Doctor, live',
  waiting: 'Waiting for the first attempt',
  waitingForSignIn: 'Provisioned, waiting for its sign-in',
  waitingForValue: 'Signed in, waiting for a value',
  alive: 'Values arrive',
  quiet:
    'Nothing has come from this device yet. Every attempt appears here within two seconds, also one that is refused. If the device is on and nothing appears, it does not reach this server: look at its network and at the address.',
  clientHidden:
    'The device has a client, which you may not see: its connections and its messages are missing here.',
  old: 'The newest state could not be loaded. What is shown is older.',
  settled: 'over',
  from: 'from',
  otherId: (id: string) =>
    `A device calls itself “${id}”, and nobody has this id. If it is yours, correct the id in the device.`,
  events: {
    settings: 'Settings asked',
    provisioning: 'Provisioning',
    certificate: 'Certificate asked',
    mqtt_sign_in: 'Sign-in by MQTT',
    tls_handshake: 'Connection by TLS',
    connected: 'Connected',
    disconnected: 'Connection ended',
    refused: 'Subscription refused',
    message: 'Message refused',
    value: 'Value stored',
  } as Record<string, string>,
  went: 'done',
  done: {
    settings_sent: 'served',
    session_opened: 'connected',
    enrollment_created: 'provisioned',
    already_provisioned: 'provisioned before',
    certificate_issued: 'issued',
    value_stored: 'on the chart',
  } as Record<string, string>,
  ends: {
    client_disconnected: 'by the device',
    connection_lost: 'broke',
    server_stopped: 'the server stopped',
    session_taken_over: 'connected again',
  } as Record<string, string>,
  faults: {
    device_unknown: { name: 'Unknown id', text: 'No group has a device with this id.' },
    device_not_registered: { name: 'Not registered', text: 'The group has no device with this id.' },
    device_not_provisioned: {
      name: 'Not provisioned',
      text: 'The device is registered, but the broker does not know it yet.',
    },
    bootstrap_key_wrong: {
      name: 'Wrong key',
      text: 'The key belongs to no group that has this device. It may be mistyped, or of before a flip. Put the present key into the device.',
    },
    bootstrap_key_not_allowed: {
      name: 'Group key not allowed',
      text: 'This is the key of the whole group. The group accepts only the key of the device itself.',
    },
    too_many_failures: {
      name: 'Too many wrong keys',
      text: 'After ten wrong keys in a minute the device has to wait. Correct the key; it may try again within a minute.',
    },
    group_disabled: {
      name: 'Group disabled',
      text: 'The enrollment group is disabled, so that none of its devices gets settings.',
    },
    client_unknown: {
      name: 'Unknown id',
      text: 'The broker has no device with this user name. The user name has to be the device id.',
    },
    client_key_wrong: {
      name: 'Wrong password',
      text: 'The password is none of the keys in the settings of the device. Fetch the settings, and sign in with “primary”.',
    },
    client_disabled: { name: 'Device disabled', text: 'The device is disabled at the broker.' },
    provider_unavailable: {
      name: 'Broker unavailable',
      text: 'The provider of the routing target did not answer as it should. Check its address and API key.',
    },
    server_certificate_refused: {
      name: 'TLS: certificate not trusted',
      text: 'The device ended the TLS handshake because it does not trust the certificate of this server. Give it the authority’s certificate (ca.crt), and let it connect to a host that the certificate names.',
    },
    tls_expected: {
      name: 'TLS: spoken in clear text',
      text: 'The device speaks without TLS to a port that takes only TLS. Switch TLS on in the device, or use the port without TLS.',
    },
    tls_not_expected: {
      name: 'TLS: at a port without it',
      text: 'The device speaks TLS to a port that takes only clear text. Use the port with TLS.',
    },
    tls_handshake_failed: {
      name: 'TLS: handshake failed',
      text: 'The device and the server found no common version or cipher of TLS. TLS 1.2 or later is needed.',
    },
    topic_not_allowed: {
      name: 'Wrong topic',
      text: 'A device may use topics below devices/ and its own id, and no others.',
    },
    unknown_topic: {
      name: 'Wrong topic',
      text: 'The message arrived, but the platform reads nothing on this topic. Nothing was stored.',
    },
    not_json: { name: 'Bad JSON', text: 'The message arrived, but it is not JSON. Nothing was stored.' },
    not_an_object: {
      name: 'Value not stored',
      text: 'The message is JSON, but no object: a value needs a name, such as {"temperature": 21.5}.',
    },
    bad_timestamp: {
      name: 'Value not stored',
      text: 'The timestamp is no time in ISO 8601, such as "2026-01-31T08:00:00Z". Leave it out, and the time of arrival counts.',
    },
    bad_name: { name: 'Value not stored', text: 'The name of a signal is not allowed.' },
    bad_value: { name: 'Value not stored', text: 'A value is of a kind that cannot be stored.' },
    refused_by_storage: {
      name: 'Value not stored',
      text: 'The database refused the values of this message.',
    },
    too_many_signals: { name: 'Value not stored', text: 'The message has too many signals.' },
    message_too_large: { name: 'Message too large', text: 'The broker ended the connection.' },
    protocol_error: {
      name: 'Broken protocol',
      text: 'What the device sent does not follow MQTT. Look at its client library.',
    },
    keep_alive_timeout: {
      name: 'Silent',
      text: 'Nothing came for one and a half keep-alive times, so the broker ended the connection.',
    },
    keys_rotated: {
      name: 'Keys replaced',
      text: 'The keys of the device were replaced while it was connected. It has to fetch its settings again.',
    },
    too_many_sessions: {
      name: 'Too many connections',
      text: 'The device has as many connections as it may have.',
    },
    provider_rejected: {
      name: 'Refused by the provider',
      text: 'The provider of the routing target does not take this device. Look for the device there; what the provider said stands below.',
    },
    provider_slow: {
      name: 'Provider too slow',
      text: 'The provider did not answer within the time that a device waits. The device tries again; check the provider.',
    },
    provider_paused: {
      name: 'Provider paused',
      text: 'The provider did not answer several times, so that it is not asked for some seconds. It is tried again by itself; check the provider.',
    },
    stored_credentials_used: {
      name: 'Stored keys used',
      text: 'The provider did not answer, and the device got the keys that were last known. Check the provider before those are too old.',
    },
    stored_credentials_missing: {
      name: 'Provider away, no stored keys',
      text: 'The provider did not answer, and no keys of this device are stored: it has never fetched its settings while the provider answered. Check the provider.',
    },
    stored_credentials_expired: {
      name: 'Provider away, stored keys too old',
      text: 'The provider did not answer, and the stored keys are older than the group allows. Check the provider, or let the group allow older keys.',
    },
    group_unknown: {
      name: 'Unknown group',
      text: 'There is no enrollment group with this id. Compare the id in the device with the list of groups.',
    },
    client_id_missing: {
      name: 'No client id',
      text: 'The device asks for a session that is kept, and names no client id. Send the device id as client id, or ask for a clean session.',
    },
    will_not_allowed: {
      name: 'Will not allowed',
      text: 'The will of the device is on a topic of others, or it is too large. Put it on a topic below devices/ and the device id.',
    },
    connections_per_address: {
      name: 'Too many connections from one address',
      text: 'The address from which the device connects has as many connections as it may have. Close some, or raise GANGWAY_MQTT_CONNECTIONS_PER_ADDRESS.',
    },
    unknown_certificate: {
      name: 'Unknown certificate',
      text: 'This platform did not issue the certificate to the device that it names. Let the device enrol, and use the certificate that it gets.',
    },
    user_name_differs: {
      name: 'Another user name',
      text: 'The user name is not the device that the certificate names. Leave the user name empty, or send the device id.',
    },
    certificate_revoked: {
      name: 'Certificate revoked',
      text: 'The certificate of the device was revoked. If you still trust the device, let it enrol again with its key.',
    },
    certificate_authority_revoked: {
      name: 'Authority revoked',
      text: 'The authority that issued the certificate was revoked. Let the device enrol again with its key.',
    },
    certificate_expired_may_renew: {
      name: 'Certificate expired a short time ago',
      text: 'The device cannot connect with it any more, but may still renew it. Let it renew before the grace days of its group are over.',
    },
    certificate_expired: {
      name: 'Certificate expired',
      text: 'Let the device enrol again with its key, and find out why it did not renew its certificate in time.',
    },
    certificate_not_yet_valid: {
      name: 'Certificate not valid yet',
      text: 'The certificate is valid from a later time. The clock of the server is wrong, or was when the certificate was issued.',
    },
    certificate_superseded: {
      name: 'Replaced certificate',
      text: 'A newer certificate of this device has connected since. Use the newer one. If the device does not have it, two devices have the same id.',
    },
    certificate_of_other_tenant: {
      name: 'Id of another tenant',
      text: 'The broker has this id for another tenant. Choose another id for the device.',
    },
    manufacturer_certificate_refused: {
      name: 'Manufacturer’s certificate refused',
      text: 'The certificate of the manufacturer does not lead to an authority that the group trusts, or names another device. Compare it with the authorities of the group.',
    },
    other_group: {
      name: 'Another group',
      text: 'The key or certificate belongs to another group than the address names. Use the address of the group of this device.',
    },
    certificates_not_enabled: {
      name: 'No certificates in this group',
      text: 'The group issues no certificates. Switch them on in the group.',
    },
    tier_too_low: {
      name: 'Stronger proof needed',
      text: 'The group wants a stronger proof of identity than this one. Enrol with what the group asks for, or let the group ask for less.',
    },
    certificate_required: {
      name: 'Certificate needed',
      text: 'Only the present certificate of the device can be renewed, and none came. Enrol with other credentials (simpleenroll).',
    },
    request_refused: {
      name: 'Certificate request refused',
      text: 'The request for a certificate is not accepted. Correct it as the line below says.',
    },
    enrollment_in_progress: {
      name: 'Enrolment in progress',
      text: 'The device is just being enrolled. Let it wait and repeat the request.',
    },
    too_many_certificates: {
      name: 'Too many certificates',
      text: 'The device got as many certificates as it may get in a day. Find out why it does not keep its certificate.',
    },
    connection_lost: {
      name: 'Connection lost',
      text: 'The device hung up before the answer. Look at its network and its time-outs.',
    },
    server_unavailable: {
      name: 'Server not ready',
      text: 'The server could not decide, for example because its database did not answer. The device may try again; look at the page System.',
    },
    client_deleted: {
      name: 'Device deleted',
      text: 'The client of the device was deleted at the broker. Provision the device again.',
    },
    too_slow: {
      name: 'Too slow',
      text: 'The device does not take what is sent to it, so the broker ended the connection.',
    },
    storage_unavailable: {
      name: 'Storage not ready',
      text: 'The server could not store a message within 30 seconds and ended the connection. The device should send it again.',
    },
    too_many_subscriptions: {
      name: 'Too many subscriptions',
      text: 'The device has as many subscriptions as a session may have. Subscribe to fewer topics, or to one with a wildcard.',
    },
    bad_format: {
      name: 'Value not stored',
      text: 'The message is not in the format that the parser of this device reads. Correct the message, or choose another parser.',
    },
    bad_checksum: {
      name: 'Wrong checksum',
      text: 'The checksum does not fit the message: bytes were lost or changed on the way. Look at the line to the meter, and send the telegram as it came.',
    },
    repeated_signal: {
      name: 'Value not stored',
      text: 'A signal is there twice for one time. Send each signal once, or give each its own time.',
    },
    too_many_series: {
      name: 'Too many names',
      text: 'The device has sent as many different names as it may. Send fewer, and put what varies, such as an id or a time, into values.',
    },
    too_much_work: {
      name: 'Message too intricate',
      text: 'Reading this message would take too long. Send fewer lists, objects and keys in one message, or a simpler expression in the parser.',
    },
    parser_unusable: {
      name: 'Parser unusable',
      text: 'The parser of this device does not work with its options, so that none of its messages is read. Correct the options.',
    },
    twin_too_large: {
      name: 'Properties not stored',
      text: 'All reported properties of the device together would be too large. Report fewer or shorter ones, and remove old ones with null.',
    },
    bad_method_response: {
      name: 'Wrong answer to a method',
      text: 'The answer has to be an object with a status and a payload, such as {"status": 200, "payload": null}.',
    },
    no_method_waiting: {
      name: 'Answer without a question',
      text: 'Nobody waits for this answer to a method: it came late, twice or unasked. Answer sooner, and once.',
    },
    not_retained: {
      name: 'Message not retained',
      text: 'The device has as many retained messages as it may. Clear some first, by an empty retained message on their topic.',
    },
  } as Record<string, { name: string; text: string }>,
  hints: {
    comma: 'A comma stands where a decimal point should.',
    'single-quotes': 'JSON takes double quotes, not single ones.',
    'no-quotes':
      'The names have no double quotes. A shell may have removed them: put single quotes around the message.',
    'cut-off': 'The end is missing. The buffer of the device may be too small.',
    'not-a-number': 'JSON has no NaN, None or True: use null, true and false, or leave the value out.',
    'trailing-comma': 'There is a comma after the last entry.',
  },
  cures: {
    'copy-key': 'Copy the present key',
    'copy-settings-command': 'Copy the command for its settings',
    'copy-topic': 'Copy the right topic',
    'copy-payload': 'Copy a message that works',
    'copy-id': 'Copy the right id',
    'copy-tls-address': 'Copy the address with TLS',
    'copy-plain-address': 'Copy the address without TLS',
    'get-ca': 'Download ca.crt',
    'enable-group': 'Enable the group',
    'enable-client': 'Enable the device',
    register: 'Register the device',
    provision: 'Provision the device',
    'see-readiness': 'See who uses which key',
    'see-group': 'Open the group',
    'see-certificates': 'See its certificates',
    'see-enrolment': 'See who may enrol',
  },
}
