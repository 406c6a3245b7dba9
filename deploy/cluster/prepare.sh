#!/bin/sh
# Makes what the services of compose.cluster.yaml share: passwords, the secret key and the certificate of the nodes.
#
#     deploy/cluster/prepare.sh iot.example.com [FOLDER]
#
# The name, or the address, is the one under which devices and users reach the installation.
set -eu

host=${1:?'the name under which devices reach the installation, such as iot.example.com'}
case $host in
  *[!0-9.]*) name=DNS:$host ;;
  *) name=IP:$host ;;
esac
folder=${2:-cluster}
if [ -e "$folder" ]; then
  echo "$folder exists. It holds the secret key of an installation, so nothing was changed." >&2
  exit 1
fi

# The folder keeps other users of this machine out. The container of a node reads `tls` as user 1000.
umask 077
mkdir "$folder"
mkdir -m 755 "$folder/tls"

database=$(openssl rand -hex 24)
# NATS would read one of digits alone as a number.
nats=n$(openssl rand -hex 24)

cat >"$folder/postgres.env" <<END
POSTGRES_PASSWORD=$database
END
cat >"$folder/nats.env" <<END
NATS_PASSWORD=$nats
NATS_ROUTES=[nats://gangway:$nats@nats-1:6222,nats://gangway:$nats@nats-2:6222,nats://gangway:$nats@nats-3:6222]
END
cat >"$folder/node.env" <<END
DATABASE_URL=postgresql://gangway:$database@postgres/gangway
GANGWAY_NATS_URL=nats://gangway:$nats@nats-1:4222,nats://gangway:$nats@nats-2:4222,nats://gangway:$nats@nats-3:4222
GANGWAY_SECRET_KEY=$(openssl rand -base64 32)
GANGWAY_PUBLIC_URL=http://$host:8080
GANGWAY_ADMIN_PASSWORD=$(openssl rand -hex 12)
END

# A certificate authority of the installation, and the certificate that all nodes show. Devices trust tls/ca.crt.
curve='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
openssl req -x509 $curve -days 3650 -subj '/CN=Gangway cluster CA' \
  -keyout "$folder/ca.key" -out "$folder/tls/ca.crt" 2>/dev/null
openssl req $curve -subj "/CN=$host" -keyout "$folder/tls/server.key" -out "$folder/server.csr" 2>/dev/null
printf 'subjectAltName=%s,DNS:localhost\nextendedKeyUsage=serverAuth\n' "$name" >"$folder/server.ext"
openssl x509 -req -in "$folder/server.csr" -extfile "$folder/server.ext" -days 397 \
  -CA "$folder/tls/ca.crt" -CAkey "$folder/ca.key" -CAcreateserial -out "$folder/server.crt" 2>/dev/null
cat "$folder/server.crt" "$folder/tls/ca.crt" >"$folder/tls/server.crt"
rm "$folder/server.csr" "$folder/server.ext" "$folder/server.crt" "$folder/tls/ca.srl"
chmod 644 "$folder"/tls/*

echo "$folder holds the settings. Keep a copy of it elsewhere. The administrator's password is in $folder/node.env."
