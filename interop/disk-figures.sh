#!/bin/bash
# Compares the disk that a JVM serves with nvmet of Linux: both targets in one guest, each with a file of the same size in memory, and
# another guest as the host, over siw. Prints a table and the ratios.
#
#   disk-figures.sh        needs the guest and verbena (interop/run --build-only), and root
# Environment
#   VERBENA_GUEST_DIR   where the guest is (default interop/target/guest)
#   ROUNDS              measurements of each kind, alternating (default 3)
#   SECONDS_EACH        duration of one (default 8)
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
export RDMA_GUEST_DIR=${VERBENA_GUEST_DIR:-$here/target/guest}
rounds=${ROUNDS:-3} each=${SECONDS_EACH:-8}
nqn=nqn.2026-01.io.verbena:disk
java_port=4420 nvmet_port=4421

if [ "${1:-}" != measure ]; then
    java_home=$("$root/verbena" java-home)
    launch=$root/target/launch/$(cat "$root/target/launch/built")
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir "$work/verbena"
    cp -r "$launch/verbena-tools.jar" "$launch/lib" "$work/verbena/"
    "$java_home/bin/javac" -proc:none -cp "$launch/verbena-tools.jar" -d "$work/verbena" "$here/Disks.java"
    "$here/run-pair.sh" --netns --links siw --siw accept_kick=1 --mem 1024 --timeout 1200 --share "$java_home" \
        --add "$work/verbena:/root/verbena" -- "$0" measure
    exit
fi

# ---- on the host of both guests: A has the targets, B uses their disks
$EXEC_A "set -e
    mkdir -p /dev/shm/java; mount -o remount,size=512m /dev/shm
    setsid sh -c 'tail -f /dev/null | /mnt/share/bin/java -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED \
        -cp /root/verbena/verbena-tools.jar:/root/verbena Disks iwarp $A $java_port /dev/shm/java' >/tmp/java.log 2>&1 </dev/null &
    modprobe nvmet-rdma
    dd if=/dev/zero of=/dev/shm/nvmet bs=1M count=64 2>/dev/null
    cd /sys/kernel/config/nvmet
    mkdir subsystems/$nqn; echo 1 >subsystems/$nqn/attr_allow_any_host
    mkdir subsystems/$nqn/namespaces/1
    echo -n /dev/shm/nvmet >subsystems/$nqn/namespaces/1/device_path
    echo 1 >subsystems/$nqn/namespaces/1/buffered_io
    echo 1 >subsystems/$nqn/namespaces/1/enable
    mkdir ports/1
    echo rdma >ports/1/addr_trtype; echo ipv4 >ports/1/addr_adrfam; echo $A >ports/1/addr_traddr; echo $nvmet_port >ports/1/addr_trsvcid
    ln -s /sys/kernel/config/nvmet/subsystems/$nqn ports/1/subsystems/
    n=0; until grep -q '^serving' /tmp/java.log; do n=\$((n + 1)); [ \$n -lt 600 ] || { cat /tmp/java.log; exit 1; }; sleep 0.5; done"
$EXEC_B "modprobe nvme-rdma; mkdir -p /etc/nvme; id=11111111-2222-3333-4444-555555555555
    echo \$id >/etc/nvme/hostid; echo nqn.2014-08.org.nvmexpress:uuid:\$id >/etc/nvme/hostnqn"

fio() {                 # PORT RUNTIME OPTIONS...: prints the bandwidth in KiB/s and the operations per second
    local port=$1 runtime=$2
    shift 2
    $EXEC_B "set -e
        nvme connect -t rdma -a $A -s $port -n $nqn >/dev/null
        n=0; until [ -b /dev/nvme0n1 ]; do n=\$((n + 1)); [ \$n -lt 100 ]; sleep 0.1; done
        fio --name=f --filename=/dev/nvme0n1 --ioengine=libaio --direct=1 --time_based --runtime=$runtime --ramp_time=2 \
            --output-format=terse --terse-version=3 $* | grep '^3;'
        nvme disconnect -n $nqn >/dev/null" | awk -F';' '{ print $7, $8 }'
}

# Every block has been written, and the code of the JVM is compiled, before anything is measured.
for port in $java_port $nvmet_port; do
    fio $port 10 --rw=write --bs=128k --iodepth=4 >/dev/null
    fio $port 20 --rw=randread --bs=4k --iodepth=16 >/dev/null
    fio $port 10 --rw=read --bs=128k --iodepth=4 >/dev/null
done
results=$(mktemp)
trap 'rm -f "$results"' EXIT
for ((round = 0; round < rounds; round++)); do
    for kind in "java $java_port" "nvmet $nvmet_port"; do
        read -r name port <<<"$kind"
        echo "random $name $(fio "$port" "$each" --rw=randread --bs=4k --iodepth=16)" >>"$results"
        echo "sequential $name $(fio "$port" "$each" --rw=read --bs=128k --iodepth=4)" >>"$results"
    done
done
awk '
    { key = $1 " " $2; value[key, ++n[key]] = $1 == "random" ? $4 : $3 / 1024 }
    function median(key,   i, j, t) {
        for (i = 1; i <= n[key]; i++) for (j = i + 1; j <= n[key]; j++)
            if (value[key, j] < value[key, i]) { t = value[key, i]; value[key, i] = value[key, j]; value[key, j] = t }
        return value[key, int((n[key] + 1) / 2)]
    }
    function range(key) { median(key); return sprintf("%.1f to %.1f", value[key, 1], value[key, n[key]]) }
    function row(what, kind) {
        printf "%-34s %10.1f %10.1f %7.2f   (%s; %s)\n", what, median(kind " java"), median(kind " nvmet"), \
            median(kind " java") / median(kind " nvmet"), range(kind " java"), range(kind " nvmet")
    }
    END {
        printf "%-34s %10s %10s %7s\n", "both targets in one guest, siw", "verbena", "nvmet", "ratio"
        row("4 KiB random read, depth 16, IOPS", "random")
        row("128 KiB read, depth 4, MiB/s", "sequential")
    }' "$results"
