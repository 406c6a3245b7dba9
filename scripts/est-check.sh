#!/usr/bin/env bash
# Checks an EST server (RFC 7030) with curl and openssl alone, as a device would use it.
# What it checks, and what a failed line means: docs/certificates.md.
set -uo pipefail

usage() {
  cat <<'TEXT'
usage: est-check.sh URL --device ID (--key KEY | --cert FILE --cert-key FILE) [--ca FILE]

  URL         address of the EST server up to the operation: https://HOST:8443/.well-known/est/ENROLLMENT_GROUP_ID
  --device    device id to enroll: the CN of the requests, and the user of Basic credentials
  --key       password of Basic credentials: the bootstrap key or the derived key of the device
  --cert      certificate of the manufacturer with its issuers, PEM, in place of --key
  --cert-key  its private key, PEM
  --ca        certificate authority of the server, PEM (default: the authorities of this machine)

The check enrolls the device several times. Use a device that exists for this purpose.
Exit code: 0 if all checks passed, 1 if one failed, 2 for a wrong call.
TEXT
  exit 2
}

url='' device='' key='' cert='' cert_key='' ca=''
while [ $# -gt 0 ]; do
  case $1 in
    --device) device=${2-}; shift ;;
    --key) key=${2-}; shift ;;
    --cert) cert=${2-}; shift ;;
    --cert-key) cert_key=${2-}; shift ;;
    --ca) ca=${2-}; shift ;;
    https://*) url=${1%/} ;;
    *) usage ;;
  esac
  shift || usage
done
[ -n "$url" ] && [ -n "$device" ] || usage
if [ -n "$key" ]; then own_credentials=(--user "$device:$key")
elif [ -n "$cert" ] && [ -n "$cert_key" ]; then own_credentials=(--cert "$cert" --key "$cert_key")
else usage; fi
for tool in curl openssl; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 2; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 700 "$work"
passed=0 failed=0

ok() { passed=$((passed + 1)); echo "ok       $1"; }
skipped() { echo "skipped  $1"; }
# failed CHECK FOUND WHAT_TO_DO
failed() { failed=$((failed + 1)); printf 'failed   %s\n         found: %s\n         to do: %s\n' "$1" "$2" "$3"; }
# check NAME CONDITION… : the condition is a command. What was found and what to do stand in $found and $todo.
check() {
  local name=$1
  shift
  if "$@"; then ok "$name"; else failed "$name" "$found" "$todo" && return 1; fi
}

# send OPERATION [CURL OPTION…]: leaves the answer in $status, $work/headers and $work/body.
send() {
  local operation=$1
  shift
  status=$(curl --silent --show-error --max-time 60 ${ca:+--cacert "$ca"} --dump-header "$work/headers" \
    --output "$work/body" --write-out '%{http_code}' "$@" "$url/$operation" 2>"$work/error") || true
  touch "$work/headers" "$work/body"
  found="HTTP status $status"
  [ "$status" != 000 ] || found=$(head -n 1 "$work/error")
  case $status in 4* | 5*) found="$found: $(head -c 300 "$work/body" | tr -d '\r\n')" ;; esac
}
# post OPERATION FILE [CURL OPTION…]: sends a certificate request in base64.
post() {
  local operation=$1 file=$2
  shift 2
  send "$operation" --header 'Content-Type: application/pkcs10' --header 'Content-Transfer-Encoding: base64' \
    --data-binary "@$file" "$@"
}
header() { tr -d '\r' <"$work/headers" | sed -n "s/^$1: *//Ip" | tail -n 1; }
status_is() { case " $* " in *" $status "*) true ;; *) false ;; esac; }
type_is() {
  local type
  type=$(header content-type)
  found="Content-Type: $type"
  case $type in "$1"*) true ;; *) false ;; esac
}
has_length() {
  found="Content-Length: $(header content-length), Transfer-Encoding: $(header transfer-encoding), $(wc -c <"$work/body") bytes"
  [ -z "$(header transfer-encoding)" ] && [ "$(header content-length)" = "$(($(wc -c <"$work/body")))" ]
}
# Turns a base64 body into DER, wrapped or not.
decode() { tr -d ' \r\n' <"$1" | openssl base64 -d -A >"$2" 2>/dev/null && [ -s "$2" ]; }
is_sequence() {
  found="a body that is not a DER sequence in base64: $(head -c 80 "$work/body" | tr -d '\r\n')"
  decode "$work/body" "$work/der" && [ "$(head -c 1 "$work/der" | od -An -tx1 | tr -d ' ')" = 30 ] &&
    openssl asn1parse -inform DER -in "$work/der" -noout 2>/dev/null
}
# read_certificates PEM: reads the certificates of the answer.
read_certificates() {
  found="a body that is not a PKCS#7 message in base64: $(head -c 80 "$work/body" | tr -d '\r\n')"
  decode "$work/body" "$work/der" &&
    openssl pkcs7 -inform DER -in "$work/der" -print_certs -out "$1" 2>/dev/null && grep -q BEGIN "$1"
}
# new_request NAME: makes a key and a certificate request, in base64 without line breaks.
new_request() {
  openssl ecparam -name prime256v1 -genkey -noout -out "$work/$1.key" &&
    openssl req -new -key "$work/$1.key" -subj "/CN=$device" -outform DER -out "$work/$1.der" &&
    openssl base64 -A -in "$work/$1.der" -out "$work/$1.csr"
}
# issued_for NAME: the certificate in NAME.pem belongs to the key, names the device and chains to the authorities.
issued_for() {
  found='a certificate for another key'
  [ "$(openssl x509 -in "$work/$1.pem" -pubkey -noout)" = "$(openssl pkey -in "$work/$1.key" -pubout)" ] || return 1
  found=$(openssl x509 -in "$work/$1.pem" -subject -noout -nameopt RFC2253)
  case ",${found#subject=}," in *",CN=$device,"*) ;; *) return 1 ;; esac
  found=$(openssl verify -purpose sslclient -CAfile "$work/cacerts.pem" -untrusted "$work/cacerts.pem" "$work/$1.pem" 2>&1) || return 1
}
# enroll OPERATION NAME [CURL OPTION…]: checks one enrollment with the base64 body in NAME.csr.
enroll() {
  local operation=$1 name=$2 label=$3
  shift 3
  post "$operation" "$work/$name.csr" "$@"
  todo='read the message above; the decision trace of the device shows each step'
  check "$label is answered with 200" status_is 200
  [ "$status" = 200 ] || return 1
  todo='send Content-Type: application/pkcs7-mime; smime-type=certs-only'
  check "$label has the type of RFC 7030" type_is application/pkcs7-mime
  todo='send a Content-Length instead of chunks: many deployed clients cannot read chunks'
  check "$label has a Content-Length" has_length
  todo='send a PKCS#7 certs-only message in base64'
  check "$label holds certificates" read_certificates "$work/$name.pem" || return 1
  todo='issue the certificate for the key of the request and the authenticated device, under an authority of cacerts'
  check "$label: the certificate has the key, the name and the chain" issued_for "$name"
}

echo "EST server: $url"

send cacerts
todo='check address, port and the file of --ca; cacerts needs no credentials'
check 'cacerts is answered with 200' status_is 200
if [ "$status" != 200 ]; then
  echo 'Nothing else can be checked without cacerts.'
  exit 1
fi
todo='send Content-Type: application/pkcs7-mime'
check 'cacerts has the type of RFC 7030' type_is application/pkcs7-mime
todo='send a Content-Length instead of chunks: many deployed clients cannot read chunks'
check 'cacerts has a Content-Length' has_length
todo='send a PKCS#7 certs-only message in base64'
check 'cacerts holds certificates' read_certificates "$work/cacerts.pem"

send csrattrs
todo='answer 200 with attributes, or 204 without a body'
check 'csrattrs is answered with 200 or 204' status_is 200 204
if [ "$status" = 200 ]; then
  todo='send Content-Type: application/csrattrs'
  check 'csrattrs has the type of RFC 7030' type_is application/csrattrs
  todo='send a DER sequence in base64'
  check 'csrattrs holds attributes' is_sequence
fi

new_request first
post simpleenroll "$work/first.csr"
todo='a request without credentials must be refused'
check 'a request without credentials is refused with 401' status_is 401
if [ -n "$key" ]; then
  post simpleenroll "$work/first.csr" --user "$device:d3JvbmcgYm9vdHN0cmFwIGtleSBvZiAzMiBieXRlcyE="
  todo='a wrong key must be refused, and not tell whether the device exists'
  check 'a wrong key is refused with 401' status_is 401
fi

# The last byte of the signature is changed.
new_request forged
size=$(($(wc -c <"$work/forged.der") - 1))
last=$(tail -c 1 "$work/forged.der" | od -An -tu1)
{ head -c "$size" "$work/forged.der"; printf "\\$(printf %o $((last ^ 1)))"; } >"$work/changed.der"
openssl base64 -A -in "$work/changed.der" -out "$work/forged.csr"
post simpleenroll "$work/forged.csr" "${own_credentials[@]}"
todo='verify the signature of the request: it proves that the device has the private key'
check 'a request with a wrong signature is refused with 4xx' status_is 400 403 422
printf 'this is not base64 *' >"$work/broken.csr"
post simpleenroll "$work/broken.csr" "${own_credentials[@]}"
todo='answer 400 to a body that is not a certificate request'
check 'a body that is not base64 is refused with 4xx' status_is 400 415 422

enroll simpleenroll first 'simpleenroll, base64 in one line' "${own_credentials[@]}"
new_request wrapped
openssl base64 -in "$work/wrapped.der" -out "$work/wrapped.csr"
enroll simpleenroll wrapped 'simpleenroll, base64 in lines of 64' "${own_credentials[@]}"

if [ -s "$work/first.pem" ]; then
  new_request renewed
  enroll simplereenroll renewed 'simplereenroll with the certificate' --cert "$work/first.pem" --key "$work/first.key"
else
  skipped 'simplereenroll: there is no certificate'
fi
new_request stranger
post simplereenroll "$work/stranger.csr"
todo='renew for the owner of a certificate only'
check 'simplereenroll without a certificate is refused' status_is 401 403

new_request generated
post serverkeygen "$work/generated.csr" "${own_credentials[@]}"
if status_is 404 405 501; then
  skipped 'serverkeygen is not served'
else
  todo='read the message above'
  check 'serverkeygen is answered with 200' status_is 200
  if [ "$status" = 200 ]; then
    todo='send multipart/mixed with the private key and the certificate'
    check 'serverkeygen has the type of RFC 7030' type_is multipart/mixed
    has_parts() { grep -qi 'application/pkcs8' "$work/body" && grep -qi 'application/pkcs7-mime' "$work/body"; }
    found='a body without application/pkcs8 or application/pkcs7-mime'
    check 'serverkeygen holds a private key and a certificate' has_parts
  fi
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
