#!/bin/bash
# A JVM that serves a disk is killed and started again while a Linux kernel writes files: over siw and over rxe. Every file whose fsync
# succeeded is there and unchanged, and the file system is consistent.
#
#   disk-restarts.sh        needs what disk.sh needs
# VERBENA_TARGET            the folder of a module's build (default target; target/quick after -Pquick)
# RESTARTS                  how often (default 3)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
target=${VERBENA_TARGET:-target}
restarts=${RESTARTS:-3}
nqn=nqn.2026-01.io.verbena:disk

if [ "${1:-}" != case ]; then
    failed=0
    for kind in "siw iwarp" "rxe roce"; do
        read -r link provider <<< "$kind"
        if "$here/run-guest.sh" --netns --links "$link" --timeout 240 --host-cmd "PROVIDER=$provider $0 case"; then
            echo "restarts over $link: passed"
        else
            echo "restarts over $link: failed"; failed=1
        fi
    done
    exit $failed
fi

# ---- on the host, with the guest ready
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill -KILL "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

serve() {
    "${JAVA_HOME:+$JAVA_HOME/bin/}java" --enable-native-access=ALL-UNNAMED \
        -cp "$root/core/$target/classes:$root/storage/$target/classes:$root/storage/$target/test-classes" \
        io.verbena.storage.service.ServeDisk "$PROVIDER" "$HOST_IP" "$work/disk" 64 > "$work/log" 2>&1 &
    server=$!
    for _ in {1..100}; do ! grep -q '^serving' "$work/log" || return 0; sleep 0.1; done
    cat "$work/log"
    return 1
}

files() { $GUEST_EXEC 'wc -l < /tmp/done'; }

serve
$GUEST_EXEC "set -e
    modprobe -a nvme-rdma ext4; mkdir -p /etc/nvme /mnt/disk
    id=11111111-2222-3333-4444-555555555555
    echo \$id > /etc/nvme/hostid; echo nqn.2014-08.org.nvmexpress:uuid:\$id > /etc/nvme/hostnqn
    nvme connect -t rdma -a $HOST_IP -s 4420 -n $nqn --reconnect-delay 1 --ctrl-loss-tmo 120
    for i in 1 2 3 4 5 6 7 8 9 10; do [ ! -b /dev/nvme0n1 ] || break; sleep 0.5; done
    [ -b /dev/nvme0n1 ]
    mkfs.ext4 -q /dev/nvme0n1
    mount -t ext4 /dev/nvme0n1 /mnt/disk
    dd if=/dev/urandom of=/root/random bs=1k count=40 2>/dev/null
    : > /tmp/done
    cat > /tmp/writer <<'END'
i=0
while [ ! -e /tmp/stop ]; do
    { echo \$i; cat /root/random; } | dd of=/mnt/disk/f\$i bs=64k conv=fsync 2>/dev/null && echo \$i >> /tmp/done
    i=\$((i + 1))
    [ \$i -lt 900 ] || break
done
touch /tmp/ended
END
    setsid sh /tmp/writer >/dev/null 2>&1 </dev/null &"

for ((n = 1; n <= restarts; n++)); do
    sleep 2
    kill -KILL "$server"
    wait "$server" 2>/dev/null || true
    before=$(files)
    serve
    began=$(date +%s%N)
    until [ "$(files)" -gt "$before" ]; do
        [ $((($(date +%s%N) - began) / 1000000000)) -lt 30 ] || { echo "restart $n: no file within 30 s"; exit 1; }
        sleep 0.1
    done
    echo "restart $n: $before files before, writing again $((($(date +%s%N) - began) / 1000000)) ms after the server was ready"
done

$GUEST_EXEC "set -e
    touch /tmp/stop
    n=0; until [ -e /tmp/ended ]; do n=\$((n + 1)); [ \$n -lt 100 ]; sleep 0.2; done
    umount /mnt/disk
    echo 3 > /proc/sys/vm/drop_caches
    e2fsck -fn /dev/nvme0n1 >/root/fsck 2>&1 || { cat /root/fsck; exit 1; }
    mount -t ext4 /dev/nvme0n1 /mnt/disk
    while read -r i; do { echo \$i; cat /root/random; } | cmp - /mnt/disk/f\$i; done < /tmp/done
    echo \"\$(wc -l < /tmp/done) files are unchanged\"
    umount /mnt/disk
    nvme disconnect -n $nqn"
