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
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../.ci/packages.sh
. "$here/../.ci/packages.sh"
# shellcheck source=archive.sh
. "$here/archive.sh"
packages=
fetch() {
    # shellcheck disable=SC2086 # words
    packages=$(apt-cache policy $programs $libraries | candidates $programs $libraries) && fetch_packages "$debs" $packages
}
with_new_lists fetch
for package in $packages; do dpkg-deb -x "$(package_file "$debs" "$package")" "$out"; done
rm -rf "$out/usr/share" "$out/etc" "$out/var"
