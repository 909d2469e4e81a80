#!/bin/bash
# Boots the guest of build-guest.sh under QEMU (software emulation), sets up its network and its
# software RDMA devices, runs a command in it, streams its output and exits with its status.
#
#   run-guest.sh [options] [--] COMMAND...          a shell command line, run by sh in the guest
#   run-guest.sh [options] --script FILE            a shell script
#   run-guest.sh [options] --host-cmd COMMAND       boots, runs COMMAND on the host when the guest is
#                                                   ready (GUEST_IP, HOST_IP, GUEST_EXEC, GUEST_PCAP in
#                                                   its environment), stops the guest, exits with its status
# Options
#   --guest DIR       output of build-guest.sh (default $RDMA_GUEST_DIR)
#   --net tap         a tap device on this host, with an address (default)
#         bridge:NAME a tap device enslaved to an existing bridge
#         user        no privileges: guest 10.0.2.15, host 10.0.2.2, TCP and UDP through QEMU's NAT;
#                     TCP port 7777 and those of --fwd are forwarded (iWARP works so, RoCE does not)
#         none
#   --ip A/N          of the guest (default 10.77.0.2/24)     --host-ip A/N   (default 10.77.0.1/24)
#   --link PATH       a second interface, eth1, on a Unix socket at which QEMU listens (each frame follows its length in four bytes);
#                     the guest has no address on it. --pcap FILE writes its frames to FILE.link
#   --mtu N           of both sides (default 1500)            --offload       leave checksum and TSO offload on
#   --fwd P           with --net user: host 127.0.0.1:P to the guest's port P (may be repeated)
#   --links "L..."    RDMA devices, each siw or rxe or type:netdev:name (default "siw rxe")
#   --siw "OPTS"      load the siw with module parameters, e.g. "mpa_crc_required=1 peer_to_peer=1"
#   --modules "M..."  more kernel modules to load
#   --agent           listen on TCP 7777 for commands (guest-exec.sh) besides
#   --add SRC[:DST]   copy a file or folder into the guest (DST default /root/NAME); may be repeated
#   --share DIR       mount a host folder read-only at /mnt/share (9p)
#   --pcap FILE       all frames of the guest's interface, written by QEMU itself
#   --mem MIB (512)   --smp N (1)   --timeout SECONDS (300)   --name NAME   --console FILE   --verbose
#   --stdin           pass standard input on to the command (it sees no end of file)
#   --netns           do all of it in a new network namespace (with a user namespace if not root)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
args=("$@")
guest=${RDMA_GUEST_DIR:-} net=tap ip=10.77.0.2/24 hostip=10.77.0.1/24 mtu=1500 offload=off
links="siw rxe" siw= modules= agent=0 share= pcap= mem=512 smp=1 timeout=300 name= console= verbose=0 link=
script= hostcmd= netns=0 gw= stdin=0
add=() fwd=()
usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
die() { echo "run-guest: $*" >&2; exit 125; }
while [ $# -gt 0 ]; do
    case $1 in
        --guest) guest=$2; shift 2;;      --net) net=$2; shift 2;;
        --ip) ip=$2; shift 2;;            --host-ip) hostip=$2; shift 2;;
        --link) link=$2; shift 2;;
        --mtu) mtu=$2; shift 2;;          --offload) offload=on; shift;;
        --fwd) fwd+=("$2"); shift 2;;     --links) links=$2; shift 2;;
        --siw) siw=$2; shift 2;;          --modules) modules=$2; shift 2;;
        --agent) agent=1; shift;;         --add) add+=("$2"); shift 2;;
        --share) share=$2; shift 2;;      --pcap) pcap=$2; shift 2;;
        --mem) mem=$2; shift 2;;          --smp) smp=$2; shift 2;;
        --timeout) timeout=$2; shift 2;;  --name) name=$2; shift 2;;
        --console) console=$2; shift 2;;  --verbose) verbose=1; shift;;
        --script) script=$2; shift 2;;    --host-cmd) hostcmd=$2; agent=1; shift 2;;
        --netns) netns=1; shift;;         --stdin) stdin=1; shift;;
        --) shift; break;;
        -h|--help) usage;;                -*) die "unknown option $1";;
        *) break;;
    esac
done
if [ $netns = 1 ]; then
    map=; [ "$(id -u)" = 0 ] || map=-r
    for i in "${!args[@]}"; do [ "${args[$i]}" != --netns ] || { unset "args[$i]"; break; }; done
    # shellcheck disable=SC2016
    exec unshare -n $map bash -c 'PATH=$PATH:/usr/sbin:/sbin; ip link set lo up; exec bash "$@"' _ "$0" "${args[@]}"
fi
[ -n "$script$hostcmd" ] || [ $# -gt 0 ] || [ $agent = 1 ] || usage
[ -s "$guest/vmlinux" ] || die "no guest in '$guest': build-guest.sh DIR, then --guest DIR"
export PATH=$PATH:/usr/sbin:/sbin

work=$(mktemp -d "${TMPDIR:-/tmp}/rdma-guest.XXXXXX")
tap= qpid= ipid=
cleanup() {
    [ -z "$qpid" ] || kill "$qpid" 2>/dev/null || true
    [ -z "$qpid" ] || wait "$qpid" 2>/dev/null || true
    [ -z "$tap" ] || ip link del "$tap" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# ---- the commands for the guest: a second archive after the first
mkdir -p "$work/o/guest"
if [ -n "$script" ]; then cp "$script" "$work/o/guest/cmd"
elif [ -z "$hostcmd" ] && [ $# -gt 0 ]; then printf '%s\n' "$*" > "$work/o/guest/cmd"; fi
[ "$net" = user ] && { ip=10.0.2.15/24 hostip=10.0.2.2/24 gw=10.0.2.2; }
[ "$net" = none ] && ip=
printf '%s=%q\n' IP "$ip" HOST_IP "${hostip%/*}" MTU "$mtu" LINKS "$links" SIW_OPTS "$siw" EXTRA_MODULES "$modules" \
    AGENT "$agent" STDIN "$stdin" SHARE "$([ -n "$share" ] && echo 1 || echo 0)" NAME "${name:-guest}" GATEWAY "$gw" VERBOSE "$verbose" > "$work/o/guest/conf"
for a in ${add[@]+"${add[@]}"}; do
    src=${a%%:*}; dst=${a#"$src"}; dst=${dst#:}; dst=${dst:-/root/$(basename "$src")}
    mkdir -p "$work/o$(dirname "$dst")"; cp -rL --preserve=timestamps "$src" "$work/o$dst"
done
(cd "$work/o" && find . -mindepth 1 | cpio -o -H newc -R 0:0 --quiet) > "$work/o.cpio"
cat "$guest/initrd.cpio" "$work/o.cpio" > "$work/initrd"

# ---- network
nic=()
mac=$(printf '52:54:00:%02x:%02x:%02x' $(( $$ >> 8 & 255 )) $(( $$ & 255 )) $(( RANDOM & 255 )))
[ -n "$ip" ] && [ "$net" != user ] && mac=$(printf '52:54:00:%02x:%02x:%02x' $(echo "${ip%/*}" | cut -d. -f2-4 | tr . ' '))
dev="virtio-net-pci,netdev=n0,mac=$mac,romfile="
[ "$mtu" = 1500 ] || dev="$dev,host_mtu=$mtu"
[ $offload = on ] || dev="$dev,csum=off,gso=off,guest_csum=off,guest_tso4=off,guest_tso6=off,guest_ecn=off,guest_ufo=off,host_tso4=off,host_tso6=off,host_ecn=off,host_ufo=off"
case $net in
    tap|bridge:*)
        tap=rg$$
        ip tuntap add dev $tap mode tap || { tap=; die "cannot make a tap device (root, or --netns, or --net user)"; }
        sysctl -qw net.ipv6.conf.$tap.disable_ipv6=1 2>/dev/null || true
        ip link set $tap mtu "$mtu"
        if [ "$net" = tap ]; then ip addr add "$hostip" dev $tap; else ip link set $tap master "${net#bridge:}"; fi
        ip link set $tap up
        # filter-dump would put the virtio header, if tap frames had one, in front of every frame
        vnet=; [ $offload = on ] || vnet=,vnet_hdr=off
        nic=(-netdev "tap,id=n0,ifname=$tap,script=no,downscript=no$vnet" -device "$dev");;
    user)
        f=; for p in 7777 ${fwd[@]+"${fwd[@]}"}; do f="$f,hostfwd=tcp:127.0.0.1:$p-:$p"; done
        [ $agent = 1 ] || f=${f#,hostfwd=tcp:127.0.0.1:7777-:7777}
        nic=(-netdev "user,id=n0,restrict=off$f" -device "$dev");;
    none) nic=(-nic none);;
    *) die "unknown --net $net";;
esac
[ -z "$pcap" ] || [ "$net" = none ] || nic+=(-object "filter-dump,id=d0,netdev=n0,file=$pcap,maxlen=65535")
if [ -n "$link" ]; then
    nic+=(-netdev "stream,id=n1,server=on,addr.type=unix,addr.path=$link" -device "${dev/netdev=n0,mac=52/netdev=n1,mac=56}")
    [ -z "$pcap" ] || nic+=(-object "filter-dump,id=d1,netdev=n1,file=$pcap.link,maxlen=65535")
fi
fs=()
[ -z "$share" ] || fs=(-virtfs "local,path=$share,mount_tag=share,security_model=none,readonly=on,multidevs=remap")

# ---- run
console=${console:-$work/console}
mkfifo "$work/out.out" "$work/out.in"
qemu=(qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot -machine pc,usb=off,vmport=off
    -accel "tcg,thread=multi,tb-size=256" -cpu max -smp "$smp" -m "$mem"
    -kernel "$guest/vmlinux" -initrd "$work/initrd"
    -append "console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off nokaslr audit=0 apparmor=0 selinux=0 random.trust_cpu=on net.ifnames=0 no_timer_check rdinit=/init"
    -serial "file:$console"
    -device virtio-serial-pci -chardev "pipe,id=out,path=$work/out" -device virtserialport,chardev=out,name=out
    -chardev "file,id=rc,path=$work/rc" -device virtserialport,chardev=rc,name=rc
    -device virtio-rng-pci "${nic[@]}" ${fs[@]+"${fs[@]}"})
[ $verbose = 0 ] || echo "run-guest: tap ${tap:-none}, guest ${ip:-none}, host ${hostip}" >&2

if [ -n "$hostcmd" ]; then
    cat "$work/out.out" > "$work/stdout" &
    timeout "$timeout" "${qemu[@]}" </dev/null & qpid=$!
    addr=${ip%/*}; [ "$net" = user ] && addr=127.0.0.1
    n=0
    # A guest on a busy host may need more than a second for a command.
    until timeout $((n < 20 ? 1 : 15)) "$here/guest-exec.sh" "$addr" true >/dev/null 2>&1; do
        n=$((n+1)); sleep 0.2
        kill -0 $qpid 2>/dev/null || { cat "$work/stdout" "$console" >&2; die "the guest stopped before it was ready"; }
        [ $n -lt 600 ] || die "the guest is not ready after 2 minutes"
    done
    rc=0
    GUEST_IP=${addr} HOST_IP=${hostip%/*} GUEST_TAP=$tap GUEST_PCAP=$pcap GUEST_EXEC="$here/guest-exec.sh $addr" timeout "$timeout" bash -c "$hostcmd" || rc=$?
    "$here/guest-exec.sh" "$addr" 'echo 0 > /run/stop' >/dev/null 2>&1 || true
    for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 $qpid 2>/dev/null || break; sleep 0.3; done
    exit $rc
fi
cat "$work/out.out" & cpid=$!
[ $stdin = 0 ] || { cat <&0 > "$work/out.in" & ipid=$!; }
timeout "$timeout" "${qemu[@]}" </dev/null & qpid=$!
qrc=0
wait $qpid || qrc=$?
qpid=
[ -z "$ipid" ] || kill "$ipid" 2>/dev/null || true
wait $cpid || true
rc=$(tr -dc 0-9 < "$work/rc" 2>/dev/null || true)
if [ -z "$rc" ]; then
    [ $qrc != 124 ] || { echo "run-guest: timed out after $timeout s" >&2; exit 124; }
    echo "run-guest: the guest ended without a result (QEMU exit $qrc); its console:" >&2
    tail -40 "$console" >&2
    exit 125
fi
exit "$rc"
