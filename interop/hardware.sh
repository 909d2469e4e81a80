#!/bin/bash
# The cases of the provider ibverbs: programs of Verbena in the guest, over the device of its kernel, with programs of Verbena on this
# machine, over the software RNIC. interop/run starts it when the guest is up:
#
#   hardware.sh hardware-siw|hardware-rxe
#
# common.sh says what is in its environment; besides, JAVA_HELLO is a folder with the classes of README's programs. The guest has a JDK
# at /mnt/share, and at /root/verbena the command line and its ahead-of-time cache.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
boot=${1:?hardware-siw or hardware-rxe}
link=${boot#hardware-}
device=${link}0
programs=java
if [ "$link" = rxe ]; then
    first_port=19600 transport=RoCEv2 software=roce at="--device $HOST_IP"
else
    first_port=19800 transport=iWARP software=iwarp at=
fi
# shellcheck disable=SC2206 # words
provider=(--provider $software $at)
. "$here/common.sh"

# A JVM in an emulated machine spends its time on starting.
java="/mnt/share/bin/java -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED"
java="$java -XX:+UseSerialGC -XX:AOTCache=/root/verbena/cache -Xlog:aot*=off"
verbena_in_guest="$java -jar /root/verbena/verbena-tools.jar"
hello_in_guest="$java -Dio.verbena.provider=ibverbs:$device -cp /root/verbena/verbena-tools.jar:/root/hello"
# About twenty assertions that take no time, among them each fault that was found in the provider by the table.
quick_assertions='test_(mr_rereg_a|mw_type|invalidate|create_|qp_ex_rc_send$|qp_ex_rc_rdma_write$|qp_ex_ud_send$|unsignalled|resize|cq_events)'
greeting="Hello from the client's memory!"

# ------------------------------------------------------------------------------------------------------ kinds of case

hello() {               # a program of README over the software RNIC: CLASS ARGUMENTS...
    timeout -k 2 90 "$JAVA" --enable-native-access=ALL-UNNAMED -Dio.verbena.provider="$software" ${at:+-Dio.verbena.device="$HOST_IP"} \
        -Dport="$port" -cp "$JAVA_HELLO:$VERBENA_CLASSES" "$@" </dev/null
}

start_in_guest() {      # COMMAND...: a server in the guest, ready when this returns
    guest "rm -f /tmp/v.*; : >/tmp/v.log; setsid sh -c '$* >/tmp/v.log 2>&1; echo \$? >/tmp/v.rc' >/dev/null 2>&1 </dev/null &
        n=0; until grep -q 'Listening at' /tmp/v.log; do n=\$((n+1)); [ \$n -lt 300 ] && [ ! -s /tmp/v.rc ] || exit 9; sleep 0.1; done" \
        >"$dir/start.out" 2>&1 || fail "the server in the guest does not listen" "$(guest cat /tmp/v.log)"
}

end_in_guest() {        # waits for it
    guest 'n=0; until [ -s /tmp/v.rc ]; do n=$((n+1)); [ $n -lt 200 ] || break; sleep 0.1; done
        cat /tmp/v.log; exit $(cat /tmp/v.rc || echo 99)' >"$dir/guest.out" 2>&1 ||
        fail "the server in the guest ended with $?: $(tail -n 3 "$dir/guest.out")"
}

info_shows_device() {
    guest "$verbena_in_guest info --provider ibverbs" >"$dir/guest.out" 2>&1 || fail "verbena info ended with $?: $(tail -n 3 "$dir/guest.out")"
    grep -qE "^ *devices +$device\$" "$dir/guest.out" || fail "verbena info does not name the device: $(cat "$dir/guest.out")"
    grep -qE "^ *transport +$transport\$" "$dir/guest.out" || fail "verbena info states another transport: $(cat "$dir/guest.out")"
}

conformance() {         # [PATTERN]: the assertions whose names match
    local guest_limit=150
    guest "$java -cp /root/verbena/verbena-tools.jar:/root/hello io.verbena.outcome.ConformanceProgram \
        ibverbs:$device $GUEST_IP ${device%0} /root/hello/api-map.md '${1:-.}'" >"$dir/guest.out" 2>&1 ||
        fail "the table ended with $?: $(tail -n 40 "$dir/guest.out")"
    grep '^[1-9][0-9]* assertions, 0 differences$' "$dir/guest.out" >"$dir/note" || fail "the table has no result: $(tail -n 3 "$dir/guest.out")"
}

hello_from_guest() {
    hello HelloServer >"$dir/server.out" 2>"$dir/server.err" &
    server=$!
    await_server HelloServer out 'Listening at'
    guest "$hello_in_guest -Dport=$port HelloClient $HOST_IP" >"$dir/guest.out" 2>&1 ||
        fail "HelloClient in the guest ended with $?: $(tail -n 4 "$dir/guest.out")" "the server: $(cat "$dir/server.err")"
    wait $server || fail "HelloServer ended with $?: $(tail -n 3 "$dir/server.err")"
    grep -qxF "$greeting" "$dir/server.out" || fail "another greeting arrived: $(cat "$dir/server.out")"
}

hello_to_guest() {
    start_in_guest "$hello_in_guest -Dport=$port HelloServer"
    hello HelloClient "$GUEST_IP" >"$dir/client.out" 2>"$dir/client.err" || fail "HelloClient ended with $?: $(tail -n 3 "$dir/client.err")"
    end_in_guest
    grep -qxF "$greeting" "$dir/guest.out" || fail "another greeting arrived: $(cat "$dir/guest.out")"
}

ping_from_guest() {     # SIZE ROUNDS
    local size=$1 rounds=$2
    start_server -V
    guest "$verbena_in_guest ping $HOST_IP -p $port -S $size -C $rounds -V --provider ibverbs --device $device" >"$dir/guest.out" 2>&1 ||
        fail "verbena ping in the guest ended with $?: $(tail -n 3 "$dir/guest.out")" "the server: $(tail -n 2 "$dir/server.err")"
    end_server
    [ $code = 0 ] || fail "verbena ping --server ended with $code: $(tail -n 2 "$dir/server.err")"
    did server "$rounds"
}

ping_to_guest() {       # SIZE ROUNDS
    local size=$1 rounds=$2
    start_in_guest "$verbena_in_guest ping --server -p $port -V --provider ibverbs --device $device"
    verbena client ping "$GUEST_IP" -p "$port" -S "$size" -C "$rounds" -V --json "${provider[@]}" ||
        fail "verbena ping ended with $?: $(tail -n 2 "$dir/client.err")" "the server: $(guest cat /tmp/v.log)"
    did client "$rounds"
    end_in_guest
}

# ----------------------------------------------------------------------------------------------------------- the cases

ping_from() {           # SIZE
    local n
    n=$(rounds "$1")
    run_case hardware "verbena in the guest over $device against verbena, $n rounds of $1 bytes" ping_from_guest "$1" "$n"
}

ping_to() {             # SIZE
    local n
    n=$(rounds "$1")
    run_case hardware "verbena against verbena in the guest over $device, $n rounds of $1 bytes" ping_to_guest "$1" "$n"
}

both_pings() {          # SIZE
    ping_from "$1"
    ping_to "$1"
}

hardware_cases() {
    local size
    run_case hardware "verbena info in the guest names $device" info_shows_device
    # The emulated machine needs half a minute for the whole table.
    if full; then run_case hardware "the conformance table over $device" conformance
    else run_case hardware "a part of the conformance table over $device" conformance "$quick_assertions"; fi
    run_case hardware "the hello world of README from the guest, over $device" hello_from_guest
    run_case hardware "the hello world of README to the guest, over $device" hello_to_guest
    # Starting a JVM in the guest takes seconds, so that the quick form has each role of ping on one device.
    if full; then for size in 64 1001 4096 65535; do both_pings $size; done
    elif [ "$link" = rxe ]; then ping_from 4096
    else ping_to 4096; fi
}

put_heartbeat_in_guest || exit 1
guest 'dmesg -c' >"$WORK/$boot.dmesg" 2>&1
hardware_cases
exit 0
