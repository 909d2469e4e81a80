#!/bin/bash
# A Linux kernel uses disks that a JVM serves (NVMe over Fabrics). interop/run starts it when the guest is up:
#
#   disks.sh disk-siw|disk-rxe
#
# common.sh says what is in its environment.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
boot=${1:?disk-siw or disk-rxe}
first_port=19200
provider=()
programs='fio nvme dd'
listening() { :; }
. "$here/common.sh"
. "$here/nvmet.sh"
case $boot in
    # Before it connects again, Linux waits this long for a keep-alive command that the killed target did not answer.
    disk-siw) kind=iwarp options=;;
    disk-rxe) kind=roce provider=(--provider roce) options='--keep-alive-tmo 1';;
    *) echo "disks: $boot is neither disk-siw nor disk-rxe" >&2; exit 2;;
esac
nqn=nqn.2026-01.io.verbena:disk
host=nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555

# ------------------------------------------------------------------------------------------------------ both sides

# Starts the target, ready when this returns; with files, and the record of connections, that an earlier one has left.
serve() {               # HOSTS...: those that may connect
    mkdir -p "$dir/disks"
    start_java '^serving' Disks "$kind" "$HOST_IP" "$port" "$dir/disks" record "$@"
}

start_java() {          # READY CLASS ARGUMENTS...: a program that takes commands from tell, ready when this returns
    local ready=$1
    shift
    [ -p "$dir/commands" ] || mkfifo "$dir/commands"
    exec 9<>"$dir/commands"
    : >"$dir/server.out"
    "$JAVA" -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp "$VERBENA_CLASSES:$WORK/classes" "$@" \
        <"$dir/commands" >"$dir/server.out" 2>>"$dir/server.err" &
    server=$!
    await_server "$1" out "$ready"
}

kill_server() {
    kill -KILL "$server"
    wait "$server" 2>/dev/null
}

tell() {                # COMMAND: to the program; the answer in $answer
    local n=0 lines
    lines=$(wc -l <"$dir/server.out")
    echo "$*" >&9
    until [ "$(wc -l <"$dir/server.out")" -gt "$lines" ]; do
        n=$((n + 1))
        [ $n -lt 800 ] || fail "no answer within 40 s: $*"
        sleep 0.05
    done
    answer=$(tail -n 1 "$dir/server.out")
    answer=${answer#"$*: "}
}

holds_nothing() {       # hosts that have left leave nothing
    local n=0
    for ((n = 0; n < 50; n++)); do
        tell held
        [ "$answer" != 0 ] || return 0
        sleep 0.1
    done
    fail "the target still holds $answer queues of hosts that have left"
}

on_guest() {            # SCRIPT: commands of which each must succeed
    guest "set -e
$*" >"$dir/guest.out" 2>&1 || fail "the guest failed with $?: $(tail -n 5 "$dir/guest.out")"
}

# The functions of scripts in the guest.
put_disk_in_guest() {
    guest 'modprobe -a nvme-rdma ext4 && mkdir -p /etc/nvme /mnt/disk && cat >/tmp/disk <<"END"
connect() {     # PORT OPTIONS...: ready when the disk is there
    port=$1
    shift
    nvme connect -t rdma -a '"$HOST_IP"' -s $port -n '"$nqn $options"' --reconnect-delay 1 --ctrl-loss-tmo 120 "$@"
    until_true test -b /dev/nvme0n1
}
disconnect() {
    nvme disconnect -n '"$nqn"'
    until_true test ! -e /dev/nvme0
}
until_true() {  # COMMAND: succeeds once the command does, within 10 s
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || { echo "not within 10 s: $*"; return 1; }
        sleep 0.1
    done
}
blocks() {      # NAME COUNT
    [ "$(cat /sys/block/$1/size 2>/dev/null)" = "$2" ]
}
live() {
    [ "$(cat /sys/class/nvme/nvme0/state)" = live ]
}
work() {        # FILE OPTIONS...: fio writes, reads back and compares in the background until /tmp/stop is there
    file=$1
    shift
    rm -f /tmp/stop /tmp/ended /tmp/failed /tmp/passes
    {
        while [ ! -e /tmp/stop ] && [ ! -e /tmp/failed ]; do
            fio --name=v --filename=$file --size=2M --bs=4k --rw=randwrite --verify=crc32c --verify_backlog=64 --verify_fatal=1 \
                --ioengine=libaio --direct=1 --iodepth=8 --fsync=32 "$@" >/tmp/fio 2>&1 && echo pass >>/tmp/passes || cp /tmp/fio /tmp/failed
        done
        touch /tmp/ended
    } >/dev/null 2>&1 </dev/null &
}
worked() {      # ends the work; fails if fio found a difference or an error
    touch /tmp/stop
    tries=0
    until [ -e /tmp/ended ]; do tries=$((tries + 1)); [ $tries -lt 300 ] || { echo "fio does not end"; cat /tmp/fio; return 1; }; sleep 0.1; done
    [ ! -e /tmp/failed ] || { cat /tmp/failed; return 1; }
    echo "$(wc -l </tmp/passes) passes of fio"
}
completed() {   # commands of the disk that have ended; a disk that may have several paths has its statistics at the paths
    ended=0
    for path in /sys/block/nvme0n1 /sys/block/nvme0c*n1; do
        [ ! -e $path/stat ] || { read -r reads _ _ _ writes _ <$path/stat; ended=$((ended + reads + writes)); }
    done
    echo $ended
}
more_than() {
    [ "$(completed)" -gt "$1" ]
}
END
echo 11111111-2222-3333-4444-555555555555 >/etc/nvme/hostid; echo '"$host"' >/etc/nvme/hostnqn'
}

# ------------------------------------------------------------------------------------------------------ kinds of case

files() {
    local full_blocks left_blocks
    serve
    on_guest ". /tmp/disk
        nvme discover -t rdma -a $HOST_IP -s $port | grep -q $nqn
        connect $port
        mkfs.ext4 -q /dev/nvme0n1
        mount -t ext4 -o noinit_itable /dev/nvme0n1 /mnt/disk
        dd if=/dev/urandom of=/root/random bs=1M count=8 2>/dev/null
        cp /root/random /mnt/disk/a; cp -r /bin /mnt/disk/; sync
        umount /mnt/disk; mount -t ext4 -o noinit_itable /dev/nvme0n1 /mnt/disk
        cmp /root/random /mnt/disk/a; rm /mnt/disk/a; sync"
    # Between the two, the guest only trims: for a write into a mapping, a file system may allocate much more than a page.
    full_blocks=$(stat -c %b "$dir/disks/1")
    on_guest "fstrim /mnt/disk"
    left_blocks=$(stat -c %b "$dir/disks/1")
    on_guest ". /tmp/disk
        umount /mnt/disk
        e2fsck -fn /dev/nvme0n1
        disconnect"
    echo "the file of the disk had $full_blocks blocks, and $left_blocks after fstrim of 16384" >"$dir/note"
    [ $((full_blocks - left_blocks)) -gt 14000 ] || fail "fstrim does not free the blocks of a file: $(cat "$dir/note")"
    holds_nothing
}

serve_by_command() {    # the command line, with a file that an earlier one may have left
    "$VERBENA" disk serve "$dir/disk.img:64M" --nqn $nqn --provider "$kind" --address "$HOST_IP" --port "$port" \
        >"$dir/server.out" 2>"$dir/server.err" </dev/null &
    server=$!
    await_server "verbena disk serve" err 'Listening at'
}

by_command() {          # verbena disk serve is killed and started again while its disk is mounted
    serve_by_command
    on_guest "$(grep -o 'nvme connect .*-n [^ ]*' "$dir/server.out" | head -n 1) $options --reconnect-delay 1
        . /tmp/disk; until_true test -b /dev/nvme0n1
        mkfs.ext4 -q /dev/nvme0n1; mount -t ext4 /dev/nvme0n1 /mnt/disk
        dd if=/root/random of=/mnt/disk/a bs=64k conv=fsync"
    kill_server
    serve_by_command
    on_guest ". /tmp/disk
        dd if=/root/random of=/mnt/disk/b bs=64k conv=fsync
        umount /mnt/disk; e2fsck -fn /dev/nvme0n1
        mount -t ext4 -o ro /dev/nvme0n1 /mnt/disk; cmp /root/random /mnt/disk/a; cmp /root/random /mnt/disk/b; umount /mnt/disk
        disconnect"
    kill -TERM "$server"
    wait "$server"
    code=$?
    [ $code = 130 ] || fail "verbena disk serve ended with $code"
    tail -n 1 "$dir/server.err" | grep -q '^Stopped after' || fail "verbena disk serve does not end with its figures: $(tail -n 1 "$dir/server.err")"
}

restarts() {            # COUNT: of a target that is killed under load; nothing is lost after fsync
    local count=$1 n began before
    serve
    on_guest ". /tmp/disk
        connect $port
        mkfs.ext4 -q /dev/nvme0n1
        mount -t ext4 /dev/nvme0n1 /mnt/disk
        dd if=/dev/urandom of=/root/random bs=1k count=40 2>/dev/null
        rm -f /tmp/written /tmp/written.ended; : >/tmp/written
        work /mnt/disk/verified
        {
            i=0
            while [ ! -e /tmp/stop ] && [ \$i -lt 900 ]; do
                { echo \$i; cat /root/random; } | dd of=/mnt/disk/f\$i bs=64k conv=fsync && echo \$i >>/tmp/written
                i=\$((i + 1))
            done
            touch /tmp/written.ended
        } >/dev/null 2>&1 </dev/null &"
    for ((n = 1; n <= count; n++)); do
        sleep 1.5
        kill_server
        before=$(guest '. /tmp/disk; completed')
        serve
        began=${EPOCHREALTIME/./}
        on_guest ". /tmp/disk
            tries=0; until more_than $before; do tries=\$((tries + 1)); [ \$tries -lt 300 ] || { dmesg | tail -n 3; exit 1; }; sleep 0.05; done"
        echo "$(((${EPOCHREALTIME/./} - began) / 1000))" >>"$dir/times"
    done
    on_guest ". /tmp/disk
        worked
        tries=0; until [ -e /tmp/written.ended ]; do tries=\$((tries + 1)); [ \$tries -lt 100 ]; sleep 0.2; done
        umount /mnt/disk
        echo 3 >/proc/sys/vm/drop_caches
        e2fsck -fn /dev/nvme0n1
        mount -t ext4 /dev/nvme0n1 /mnt/disk
        while read -r i; do { echo \$i; cat /root/random; } | cmp - /mnt/disk/f\$i; done </tmp/written
        echo \"\$(wc -l </tmp/written) files unchanged\"
        umount /mnt/disk
        disconnect"
    echo "in operation again $(tr '\n' ' ' <"$dir/times")ms after the target; $(grep -E 'passes|unchanged' "$dir/guest.out" | tr '\n' ',')" >"$dir/note"
    [ "$(sort -n "$dir/times" | tail -n 1)" -lt 10000 ] || fail "one restart took the host ten seconds or more"
}

connects() {            # COUNT
    serve
    guest_limit=300 on_guest ". /tmp/disk
        for i in \$(seq $1); do connect $port; disconnect; done >/dev/null"
    holds_nothing
}

resets() {              # COUNT: controller resets under load
    serve
    on_guest ". /tmp/disk
        connect $port
        work /dev/nvme0n1
        until_true test -s /tmp/fio
        for i in \$(seq $1); do sleep 0.5; nvme reset /dev/nvme0; until_true live; done
        worked
        disconnect"
    holds_nothing
    sed -n '/passes/p' "$dir/guest.out" >"$dir/note"
}

namespaces() {          # another one comes, grows, and goes, while the first is mounted and in use
    serve
    on_guest ". /tmp/disk
        connect $port
        mkfs.ext4 -q /dev/nvme0n1; mount -t ext4 /dev/nvme0n1 /mnt/disk
        work /mnt/disk/verified"
    tell put 2 8
    on_guest '. /tmp/disk; until_true blocks nvme0n2 16384; dd if=/root/random of=/dev/nvme0n2 bs=64k conv=fsync'
    tell put 2 16
    on_guest '. /tmp/disk; until_true blocks nvme0n2 32768; cmp /root/random /dev/nvme0n2 -n 40000'
    tell remove 2
    on_guest '. /tmp/disk; until_true test ! -e /dev/nvme0n2
        worked; umount /mnt/disk; e2fsck -fn /dev/nvme0n1; disconnect'
    holds_nothing
}

read_only() {
    serve
    tell put 2 16
    on_guest ". /tmp/disk
        connect $port; until_true test -b /dev/nvme0n2
        mkfs.ext4 -q /dev/nvme0n2; mount -t ext4 /dev/nvme0n2 /mnt/disk; cp /root/random /mnt/disk/a; umount /mnt/disk; disconnect"
    tell put 2
    [ "$answer" = done ] || fail "the target cannot serve the disk: $answer"
    on_guest ". /tmp/disk
        connect $port; until_true test -b /dev/nvme0n2
        [ \$(cat /sys/block/nvme0n2/ro) = 1 ]
        ! dd if=/root/random of=/dev/nvme0n2 bs=4k count=1 conv=fsync
        mount -t ext4 -o ro /dev/nvme0n2 /mnt/disk; cmp /root/random /mnt/disk/a; umount /mnt/disk; disconnect"
    holds_nothing
}

allow_list() {
    serve "$host"
    on_guest ". /tmp/disk
        ! nvme connect -t rdma -a $HOST_IP -s $port -n $nqn --hostnqn=nqn.2026-01.org.example:stranger
        [ ! -e /dev/nvme0 ]
        connect $port; disconnect"
    holds_nothing
}

queues() {              # of three kinds: Reads, Writes and polled commands
    serve
    on_guest ". /tmp/disk
        dmesg -c >/dev/null
        connect $port --nr-io-queues 1 --nr-write-queues 1 --nr-poll-queues 1
        dmesg | grep -o 'mapped .* queues'
        dmesg | grep -q 'mapped 1/1/1'
        work /dev/nvme0n1
        until_true test -s /tmp/fio
        worked
        disconnect"
    holds_nothing
    grep mapped "$dir/guest.out" | head -n 1 >"$dir/note"
}

# A case that failed may have left its disk.
after_another() {
    guest 'touch /tmp/stop; umount -l /mnt/disk; nvme disconnect-all; . /tmp/nvmet; removed' >"$dir/before.out" 2>&1
    "$@"
}

disk_cases() {
    local many=200 few=10 kills=6
    full || many=15 few=3 kills=2
    run_case disk "discover, connect, make a file system, files, fstrim, e2fsck, disconnect" after_another files
    run_case disk "verbena disk serve: mounted, killed, started again, mounted" after_another by_command
    run_case disk "a namespace is added, resized and removed while another one is mounted" after_another namespaces
    run_case disk "the target is killed and started $kills times under load, verified" after_another restarts $kills
    run_case disk "$many times connected and disconnected: nothing is left" after_another connects $many
    # The same code for all transports: one of them is enough for continuous integration.
    full || [ $kind = iwarp ] || return 0
    run_case disk "$few controller resets under load, verified" after_another resets $few
    run_case disk "read-only: the host does not write" after_another read_only
    run_case disk "a host that is not on the list is refused" after_another allow_list
    run_case disk "queues for Reads, for Writes and to poll" after_another queues
}

put_disk_in_guest && put_nvmet_in_guest && put_heartbeat_in_guest || exit 1
mkdir -p "$WORK/classes"
"${JAVA%/java}/javac" -proc:none -cp "$VERBENA_CLASSES" -d "$WORK/classes" "$here/Disks.java" "$here/DiskHost.java" >"$WORK/$boot.javac" 2>&1 || {
    cat "$WORK/$boot.javac" >&2
    exit 1
}
guest 'dd if=/dev/urandom of=/root/random bs=1k count=40 2>/dev/null; dmesg -c' >"$WORK/$boot.dmesg" 2>&1
disk_cases
nvmet_cases
exit 0
