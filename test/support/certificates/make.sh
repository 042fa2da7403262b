#!/bin/sh
# Makes the certificates of the tests anew: sh make.sh, in this folder, with OpenSSL 3. All but the expired one last
# for a hundred years. Their keys are known to everybody; nothing but tests may ever trust them.
set -eu
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }
sign() { # name, subject, extensions, dates
  key "$1.key.pem"
  openssl req -new -key "$1.key.pem" -subj "$2" -out "$work/csr"
  touch "$work/index"
  openssl rand -hex 8 > "$work/serial"
  printf '[ca]\ndefault_ca=x\n[x]\ndatabase=%s/index\nserial=%s/serial\nnew_certs_dir=%s\ndefault_md=sha256\npolicy=p\nunique_subject=no\n[p]\ncommonName=supplied\n[e]\n%s\n' \
    "$work" "$work" "$work" "$3" > "$work/conf"
  openssl ca -batch -notext -config "$work/conf" -extensions e -cert ca.pem -keyfile "$work/ca.key" \
    -in "$work/csr" -out "$1.pem" -startdate 20200101000000Z -enddate "$4" 2>/dev/null
}
key "$work/ca.key"
openssl req -x509 -key "$work/ca.key" -subj '/CN=Broadside test CA' -days 36500 -out ca.pem
sign server '/CN=localhost' 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1' 21200101000000Z
sign other-name '/CN=elsewhere.example' 'subjectAltName=DNS:elsewhere.example' 21200101000000Z
sign expired '/CN=localhost' 'subjectAltName=DNS:localhost,IP:127.0.0.1' 20210101000000Z
sign client '/CN=broadside' 'extendedKeyUsage=clientAuth' 21200101000000Z
key self-signed.key.pem
openssl req -x509 -key self-signed.key.pem -subj '/CN=localhost' -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' \
  -days 36500 -out self-signed.pem
