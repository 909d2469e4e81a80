#!/bin/bash
# Unpacks C programs that know nothing of RDMA, with their libraries, for a guest that has this folder as its 9p share:
#
#   c-programs.sh OUTDIR DEBS
#
# DEBS keeps the downloaded Debian packages, about 6 MB. A change of this list does not need another guest.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { sed -n '2,6p' "$0"; exit 2; }
mkdir -p "$1" "$2"
out=$(cd "$1" && pwd) debs=$(cd "$2" && pwd)
programs="netcat-traditional socat iperf3 curl"
# What these need beyond the libraries of the guest.
libraries="libiperf0 libsctp1 libcurl4 libbrotli1 libidn2-0 libldap-2.5-0 libnghttp2-14 libpsl5 librtmp1 libssh2-1 libunistring2
 libgnutls30 libsasl2-2 libgmp10 libhogweed6 libnettle8 libp11-kit0 libtasn1-6 libffi8 libwrap0 libnsl2 libreadline8"
files=() wanted=()
# shellcheck disable=SC2086 # words
while read -r name version; do
    files+=("$debs/${name}_${version//:/%3a}_amd64.deb")
    [ -s "${files[-1]}" ] || wanted+=("$name=$version")
done < <(apt-cache policy $programs $libraries | awk '/^[a-z]/ { sub(":.*", ""); name = $0 } $1 == "Candidate:" { print name, $2 }')
[ ${#wanted[@]} = 0 ] || (cd "$debs" && apt-get download -q "${wanted[@]}" 2>&1)
for file in "${files[@]}"; do dpkg-deb -x "$file" "$out"; done
rm -rf "$out/usr/share" "$out/etc" "$out/var"
