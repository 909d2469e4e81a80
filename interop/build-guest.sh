#!/bin/bash
# Builds a small Linux guest for RDMA interoperability tests, from Debian packages only.
#
#   build-guest.sh OUTDIR
#
# Result in OUTDIR:  vmlinux (uncompressed, PVH bootable), initrd.cpio, build.info
# Needs no root: packages are downloaded with apt-get download and unpacked, never installed. As root it installs missing tools, and
# updates the package lists if a download fails.
#
# Environment:
#   KVER       kernel ABI, e.g. 6.1.0-56-amd64 (default: the newest whose packages are all in the archive)
#   CC         compiler for the modules (default gcc-12, which built Debian 12's kernel)
#   WITH_NVME  1 (default) or 0: nvme-cli and its libraries
#   DEBS       folder for downloaded packages (default OUTDIR/debs)
set -euo pipefail
export LC_ALL=C
umask 022
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || { sed -n '2,15p' "$0"; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
CC=${CC:-gcc-12}
WITH_NVME=${WITH_NVME:-1}

say() { echo "build-guest: $*" >&2; }
die() { say "$*"; exit 1; }

export PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=../.ci/packages.sh
. "$here/../.ci/packages.sh"
# shellcheck source=archive.sh
. "$here/archive.sh"
need dpkg-deb:dpkg cpio:cpio xz:xz-utils depmod:kmod readelf:binutils strip:binutils make:make tar:tar "$CC:${CC##*/}" || exit
ldconfig -p | grep 'libelf\.so\.1 ' >/dev/null || install_packages libelf1 || exit     # objtool, which builds the module, needs it

KSER=6.1                                               # that of Debian 12, and of the siw that is changed below
DEBS=${DEBS:-$out/debs}
mkdir -p "$DEBS"

# ------------------------------------------------------------------ what goes in
PKGS="libc6 libgcc-s1 busybox-static dash bash libtinfo6 kmod libkmod2
 rdma-core ibverbs-utils rdmacm-utils perftest qperf infiniband-diags
 libibverbs1 librdmacm1 ibverbs-providers libibumad3 libibmad5 libibnetdisc5
 libnl-3-200 libnl-route-3-200 libpci3 zlib1g libudev1
 iproute2 libbpf1 libbsd0 libcap2 libdb5.3 libelf1 libmd0 libmnl0 libselinux1 libpcre2-8-0
 libtirpc3 libxtables12 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libcom-err2 libkeyutils1
 tcpdump libpcap0.8 libssl3 libdbus-1-3 libsystemd0 libgcrypt20 libgpg-error0 liblzma5 libzstd1 liblz4-1
 ethtool strace libunwind8"
[ "$WITH_NVME" = 1 ] && PKGS="$PKGS nvme-cli libnvme1 libjson-c5 libuuid1 e2fsprogs libext2fs2 libss2 libblkid1 fio libaio1 libnuma1"

MODULES="virtio_pci virtio_net virtio_console virtio-rng 9pnet_virtio 9p configfs
 crc32c_generic crc32_generic libcrc32c crc32c_intel crc32_pclmul
 ib_core ib_uverbs ib_umad ib_cm iw_cm rdma_cm rdma_ucm rdma_rxe
 tun bridge veth dummy macvlan ifb sch_netem sch_ingress sch_tbf sch_prio act_mirred act_gact act_pedit cls_u32 cls_flower cls_matchall
 nvme-rdma nvmet nvmet-rdma nvme-fabrics null_blk brd loop ext4
 ib_iser ib_isert iscsi_target_mod target_core_mod target_core_file target_core_iblock
 rpcrdma"

declare -A VER                                         # package -> version to take
choose() {      # sets KVER, KCOMMON, V and VER from the package lists as they are now
    local names kernel kbuild package chosen
    names=$(apt-cache pkgnames linux- | kernel_packages $KSER) || :
    # shellcheck disable=SC2086 # words; apt-cache fails if one of the names has no version
    kernel=$({ apt-cache show ${names:-linux-source-$KSER} 2>/dev/null || :; } | choose_kernel $KSER "${wanted_abi:-}") || return
    # shellcheck disable=SC2086
    chosen=$(apt-cache policy $PKGS | candidates $PKGS) || return
    read -r KVER V kbuild <<<"$kernel"
    KCOMMON=${KVER%-amd64}-common
    VER=(["linux-image-$KVER"]=$V ["linux-headers-$KVER"]=$V ["linux-headers-$KCOMMON"]=$V ["linux-source-$KSER"]=$V ["linux-kbuild-$KSER"]=$kbuild)
    for package in $chosen; do VER[${package%%=*}]=${package#*=}; done
}

# One list is the whole input: a change of it, or of this script, rebuilds.
input() {
    { echo "$KVER $WITH_NVME $CC $MODULES"; cat "$0" "$here"/guest/*; for p in "${!VER[@]}"; do echo "$p ${VER[$p]}"; done | sort; } | sha256sum | cut -d' ' -f1
}
up_to_date() { grep -qsx "input $(input)" "$out/build.info" && [ -s "$out/vmlinux" ] && [ -s "$out/initrd.cpio" ]; }

# ------------------------------------------------------------------ download
fetch() {
    local p packages=()
    choose || return
    up_to_date && return
    for p in "${!VER[@]}"; do packages+=("$p=${VER[$p]}"); done
    fetch_packages "$DEBS" "${packages[@]}"
}
wanted_abi=${KVER:-}
with_new_lists fetch || die "the packages of the guest cannot be downloaded; the reason is above."
deb() { package_file "$DEBS" "$1=${VER[$1]}"; }         # package -> its file
if up_to_date; then say "up to date: $out"; exit 0; fi
rm -f "$out/build.info"

work=$out/work
kdir=$work/k; root=$work/root

# ------------------------------------------------------------------ kernel, headers, siw
if ! grep -qsx "$KVER $V ${VER[linux-kbuild-$KSER]}" "$kdir/.done"; then
    rm -rf "$kdir"; mkdir -p "$kdir/hdr" "$kdir/img" "$kdir/src"
    say "unpacking kernel $V"
    dpkg-deb -x "$(deb "linux-image-$KVER")" "$kdir/img"
    for p in "linux-headers-$KVER" "linux-headers-$KCOMMON" "linux-kbuild-$KSER"; do
        dpkg-deb -x "$(deb "$p")" "$kdir/hdr"
    done
    # Debian's header tree names its common part by absolute path: point it to this copy.
    grep -rlI --include=Makefile '/usr/src/linux-headers-' "$kdir/hdr/usr/src/linux-headers-$KVER" |
        xargs -r sed -i "s#/usr/src/linux-headers-#$kdir/hdr/usr/src/linux-headers-#g"
    dpkg-deb --fsys-tarfile "$(deb "linux-source-$KSER")" |
        tar -xO "./usr/src/linux-source-$KSER.tar.xz" |
        tar -xJ -C "$kdir/src" --strip-components=1 \
            "linux-source-$KSER/drivers/infiniband/sw/siw" "linux-source-$KSER/scripts/extract-vmlinux"
    sh "$kdir/src/scripts/extract-vmlinux" "$kdir/img/boot/vmlinuz-$KVER" > "$kdir/vmlinux"
    depmod -b "$kdir/img" "$KVER"
    echo "$KVER $V ${VER[linux-kbuild-$KSER]}" > "$kdir/.done"
fi

siw=$kdir/src/drivers/infiniband/sw/siw
build_siw() {   # source folder -> siw.ko in it
    rm -rf "$2"; cp -r "$1" "$2"
    [ "$3" = plain ] || tune "$2"
    make -s -C "$kdir/hdr/usr/src/linux-headers-$KVER" M="$2" CC="$CC" CONFIG_RDMA_SIW=m KCFLAGS="-ffile-prefix-map=$2=siw -ffile-prefix-map=$kdir=." modules >"$2/build.log" 2>&1 ||
        { tail -20 "$2/build.log" >&2; die "siw did not build"; }
    strip --strip-debug "$2/siw.ko"
}
# In 6.1 siw has no module parameters at all: the switches are constants in siw_main.c / siw_cm.c.
# The second build turns them into parameters. It also gets accept_kick (off unless given), which mends
# a race of the responder: see README.md, "the first FPDU may be remain unread".
tune() {
    local p
    for p in zcopy_tx try_gso loopback_enabled mpa_crc_required mpa_crc_strict siw_tcp_nagle peer_to_peer; do
        sed -i -E "s/^const bool $p( = [a-z]+)?;/bool $p\1;\nmodule_param($p, bool, 0644);/" "$1/siw_main.c"
        sed -i -E "s/^extern const bool $p;/extern bool $p;/" "$1/siw.h"
        grep -q "^module_param($p," "$1/siw_main.c" || die "siw source changed: no $p"
    done
    sed -i -E 's/^(u_char mpa_version = .*;)/\1\nmodule_param(mpa_version, byte, 0644);/' "$1/siw_main.c"
    # rtr_type as the host sees a big-endian 16-bit value: 0x40 read RTR, 0x80 write RTR, 0xc0 both
    sed -i -E 's/^(static __be16 rtr_type = .*;)/\1\nmodule_param(rtr_type, ushort, 0644);/; s/^static const bool relaxed_ird_negotiation = true;/static bool relaxed_ird_negotiation = true;\nmodule_param(relaxed_ird_negotiation, bool, 0644);/' "$1/siw_cm.c"
    sed -i -E 's/^(static void siw_cm_llp_state_change\(struct sock \*s\);)/static bool accept_kick;\nmodule_param(accept_kick, bool, 0644);\n\1/' "$1/siw_cm.c"
    sed -i '/^int siw_accept(/,/^error/s/^\tsiw_cep_set_free(cep);$/\tif (accept_kick) {\n\t\tlock_sock(cep->sock->sk);\n\t\tif (!skb_queue_empty(\&cep->sock->sk->sk_receive_queue))\n\t\t\tcep->sock->sk->sk_data_ready(cep->sock->sk);\n\t\trelease_sock(cep->sock->sk);\n\t}\n&/' "$1/siw_cm.c"
    grep -q '^module_param(mpa_version' "$1/siw_main.c" && [ "$(grep -c '^module_param' "$1/siw_cm.c")" = 3 ] &&
        [ "$(grep -c 'if (accept_kick)' "$1/siw_cm.c")" = 1 ] || die "siw source changed"
}
say "building siw.ko and its tunable twin"
build_siw "$siw" "$kdir/siw-plain" plain
build_siw "$siw" "$kdir/siw-tunable" tunable

# ------------------------------------------------------------------ root file system
say "assembling the root file system"
rm -rf "$root"; mkdir -p "$root"/usr/{bin,sbin,lib,lib64} "$root"/{proc,sys,dev,tmp,run,mnt,etc,root,var/run}
for d in bin sbin lib lib64; do ln -s "usr/$d" "$root/$d"; done
# shellcheck disable=SC2086
for p in $PKGS; do
    dpkg-deb --fsys-tarfile "$(deb "$p")" | tar -x --keep-directory-symlink -C "$root" \
        --exclude='./usr/share/doc*' --exclude='./usr/share/man*' --exclude='./usr/share/locale*' --exclude='./usr/share/lintian*' \
        --exclude='./usr/share/bash-completion*' --exclude='./usr/share/bug*' --exclude='./lib/systemd*' --exclude='./lib/udev*' \
        --exclude='./usr/lib/x86_64-linux-gnu/gconv*' --exclude='./usr/lib/x86_64-linux-gnu/perl*' --exclude='./usr/share/perl*' \
        --exclude='./etc/init.d*' --exclude='./usr/share/iproute2' --exclude='./usr/share/gcc*' --exclude='./usr/share/gdb*'
done
# only the two software providers of libibverbs: every other one is a probe that costs start-up time
find "$root/etc/libibverbs.d" -type f ! -name 'rxe.driver' ! -name 'siw.driver' -delete
find "$root/usr/lib/x86_64-linux-gnu/libibverbs" -type f ! -name 'librxe-*' ! -name 'libsiw-*' -delete
find "$root/usr/sbin" "$root/usr/bin" -type f | while read -r f; do   # Perl and Python scripts cannot run here
    if head -c 64 "$f" | grep -aqE '^#!.*(perl|python)'; then rm -f "$f"; fi; done
rm -f "$root"/usr/lib/x86_64-linux-gnu/tc/q_atm.so
rm -rf "$root"/usr/share/{info,lintian,mime,polkit-1,dbus-1,initramfs-tools,zsh,fish,dpkg,nmap} "$root"/var/lib "$root"/var/cache

# busybox for tools that no package above contains
bb=$root/usr/bin/busybox
[ -x "$bb" ] || bb=$root/bin/busybox
"$bb" --list | while read -r a; do
    [ -e "$root/usr/bin/$a" ] || [ -L "$root/usr/bin/$a" ] || [ -e "$root/usr/sbin/$a" ] || [ -L "$root/usr/sbin/$a" ] || ln -s busybox "$root/usr/bin/$a"
done
ln -sf dash "$root/usr/bin/sh"
ln -sf ../bin/busybox "$root/usr/sbin/modprobe.busybox"
printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\ntcpdump:x:100:100::/:/bin/false\n' > "$root/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\ntcpdump:x:100:\nrdma:x:101:\n' > "$root/etc/group"
printf 'passwd: files\ngroup: files\nhosts: files\n' > "$root/etc/nsswitch.conf"
printf '127.0.0.1 localhost\n' > "$root/etc/hosts"
install -m 755 "$here/guest/init" "$root/init"
install -m 755 "$here/guest/agent" "$root/usr/sbin/guest-agent"

# ------------------------------------------------------------------ modules
mdir=$root/usr/lib/modules/$KVER
mkdir -p "$mdir/updates" "$root/usr/lib/siw-tunable"
# shellcheck disable=SC2086
for m in $MODULES; do
    modprobe -d "$kdir/img" -S "$KVER" --show-depends "$m" 2>/dev/null || die "no module $m"
done | sed -n 's/^insmod //p' | awk '{print $1}' | sort -u | while read -r f; do
    r=${f#*"/lib/modules/$KVER/"}; mkdir -p "$mdir/$(dirname "$r")"; cp "$f" "$mdir/$r"
done
cp "$kdir/siw-plain/siw.ko" "$mdir/updates/siw.ko"
cp "$kdir/siw-tunable/siw.ko" "$root/usr/lib/siw-tunable/siw.ko"
cp "$kdir/img/lib/modules/$KVER"/modules.{builtin,builtin.modinfo,order} "$mdir/"
depmod -b "$root" "$KVER"

# ------------------------------------------------------------------ libraries that fio names and no job here uses
# They belong to engines for Ceph, Gluster, NBD and persistent memory, 100 MB of packages. A stub defines the symbols that the program
# names, with their versions, without which the dynamic linker ends the program.
stub_libraries() {      # program -> stubs beside the other libraries
    local program=$1 lib=$root/usr/lib/x86_64-linux-gnu needed versions version name
    readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r needed; do
        [ ! -e "$lib/$needed" ] && [ ! -L "$lib/$needed" ] || continue
        versions=$(readelf -VW "$program" | awk -v file="$needed" '/File: / { mine = 0 } index($0, "File: " file " ") { mine = 1 } mine && /Name: / { sub(/.*Name: /, ""); print $1 }')
        : >"$work/stub.c" && : >"$work/stub.map"
        for version in ${versions:--}; do
            # A library without versions has the symbols with its own prefix: librbd.so.1 has rbd_...
            readelf --dyn-syms -W "$program" | awk -v version="$version" -v prefix="$(sed 's/^lib//;s/\..*/_/' <<<"$needed")" '
                $7 == "UND" { split($8, part, "@"); if (part[2] == version || version == "-" && part[2] == "" && index($8, prefix) == 1) print part[1] }' >"$work/stub.names"
            while read -r name; do echo "void $name(void) { __builtin_trap(); }"; done <"$work/stub.names" >>"$work/stub.c"
            [ "$version" = - ] || echo "$version { $(sed 's/$/;/' "$work/stub.names" | tr '\n' ' ') };" | sed 's/{ /{ global: /' >>"$work/stub.map"
        done
        "$CC" -shared -fPIC -fno-builtin -nostdlib -Wl,-soname,"$needed" $([ ! -s "$work/stub.map" ] || echo "-Wl,--version-script=$work/stub.map") \
            -o "$lib/$needed" "$work/stub.c"
        strip "$lib/$needed"
    done
}
[ "$WITH_NVME" = 0 ] || stub_libraries "$root/usr/bin/fio"

# ------------------------------------------------------------------ every library there?
ldconfig -r "$root" 2>/dev/null || PATH=$PATH:/sbin:/usr/sbin ldconfig -r "$root"
bad=$(find "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib/x86_64-linux-gnu" -type f | while read -r f; do
    readelf -d "$f" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r n; do
        [ -e "$root/usr/lib/x86_64-linux-gnu/$n" ] || [ -e "$root/usr/lib64/$n" ] || echo "${f#"$root"} needs $n"
    done; done)
[ -z "$bad" ] || { echo "$bad" >&2; die "libraries are missing"; }

# ------------------------------------------------------------------ pack (uncompressed: decompressing is slow under TCG)
find "$root" -exec touch -h -d @0 {} +
(cd "$root" && find . -mindepth 1 | sort | cpio -o -H newc -R 0:0 --reproducible --quiet) > "$out/initrd.cpio.new"
mv "$out/initrd.cpio.new" "$out/initrd.cpio"
cp "$kdir/vmlinux" "$out/vmlinux"
cp "$kdir/img/boot/config-$KVER" "$out/kernel.config"
{ echo "input $(input)"; echo "kernel $KVER $V"
  for p in $PKGS; do dpkg-deb -W --showformat='${Package} ${Version}\n' "$(deb "$p")"; done; } > "$out/build.info"
say "done: $(du -h "$out/initrd.cpio" | cut -f1) initrd, $(du -h "$out/vmlinux" | cut -f1) kernel $KVER"
