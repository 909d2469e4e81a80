#!/bin/bash
# A Linux kernel makes a file system on a disk that a JVM serves, over siw and over rxe.
#
#   disk.sh        needs RDMA_GUEST_DIR (run --build-only) and the compiled modules core and storage, with tests
# VERBENA_TARGET     the folder of a module's build (default target; target/quick after -Pquick)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
target=${VERBENA_TARGET:-target}
nqn=nqn.2026-01.io.verbena:disk

if [ "${1:-}" != case ]; then
    failed=0
    for kind in "siw iwarp" "rxe roce"; do
        read -r link provider <<< "$kind"
        if "$here/run-guest.sh" --netns --links "$link" --timeout 120 --host-cmd "PROVIDER=$provider $0 case"; then
            echo "disk over $link: passed"
        else
            echo "disk over $link: failed"; failed=1
        fi
    done
    exit $failed
fi

# ---- on the host, with the guest ready
work=$(mktemp -d)
"${JAVA_HOME:+$JAVA_HOME/bin/}java" --enable-native-access=ALL-UNNAMED \
    -cp "$root/core/$target/classes:$root/storage/$target/classes:$root/storage/$target/test-classes" \
    io.verbena.storage.service.ServeDisk "$PROVIDER" "$HOST_IP" "$work/disk" 64 > "$work/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in {1..100}; do ! grep -q '^serving' "$work/log" || break; sleep 0.1; done
grep '^serving' "$work/log" || { cat "$work/log"; exit 1; }
$GUEST_EXEC "set -e
    modprobe -a nvme-rdma ext4; mkdir -p /etc/nvme /mnt/disk
    id=11111111-2222-3333-4444-555555555555
    echo \$id > /etc/nvme/hostid; echo nqn.2014-08.org.nvmexpress:uuid:\$id > /etc/nvme/hostnqn
    nvme discover -t rdma -a $HOST_IP -s 4420 | grep -q $nqn
    nvme connect -t rdma -a $HOST_IP -s 4420 -n $nqn
    for i in 1 2 3 4 5 6 7 8 9 10; do [ ! -b /dev/nvme0n1 ] || break; sleep 0.5; done
    [ -b /dev/nvme0n1 ]
    mkfs.ext4 -q /dev/nvme0n1
    mount -t ext4 /dev/nvme0n1 /mnt/disk
    dd if=/dev/urandom of=/root/random bs=1M count=8 2>/dev/null
    cp /root/random /mnt/disk/a; cp -r /bin /mnt/disk/; sync
    umount /mnt/disk; mount -t ext4 /dev/nvme0n1 /mnt/disk
    cmp /root/random /mnt/disk/a
    rm /mnt/disk/a; umount /mnt/disk
    e2fsck -fn /dev/nvme0n1
    nvme disconnect -n $nqn"
