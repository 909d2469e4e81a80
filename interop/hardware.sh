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
if [ "$link" = rxe ]; then
    first_port=19600 transport=RoCEv2 software=roce at="--device $HOST_IP"
else
    first_port=19800 transport=iWARP software=iwarp at=
fi
# shellcheck disable=SC2206 # words
provider=(--provider $software $at)
. "$here/common.sh"
! full || programs=java         # ended with a case

# Only C1, because a program in an emulated machine ends before C2 pays.
java="-XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:AOTCache=/root/verbena/cache -Xlog:aot*=off"
java="$java -cp /root/verbena/verbena-tools.jar:/root/hello"
verbena_in_guest=io.verbena.tools.Verbena
hello_in_guest="-Dio.verbena.provider=ibverbs:$device"
# About twenty assertions that take no time, among them each fault that was found in the provider by the table.
quick_assertions='test_(mr_rereg_a|mw_type|invalidate|create_|qp_ex_rc_send$|qp_ex_rc_rdma_write$|qp_ex_ud_send$|unsignalled|resize|cq_events)'
greeting="Hello from the client's memory!"

# ------------------------------------------------------------------------------------------------------ kinds of case

hello() {               # a program of README over the software RNIC: CLASS ARGUMENTS...
    timeout -k 2 90 "$JAVA" --enable-native-access=ALL-UNNAMED -Dio.verbena.provider="$software" ${at:+-Dio.verbena.device="$HOST_IP"} \
        -Dport="$port" -cp "$JAVA_HELLO:$VERBENA_CLASSES" "$@" </dev/null
}

# A program in the guest is given as words: OPTIONS CLASS ARGUMENTS. It has a JVM of its own in the full form. In the quick form one JVM
# runs all of them one after the other, because its start takes seconds there. It is replaced if its last program did not end.
launch_in_guest() {     # WORDS...
    if full; then
        guest "rm -f /tmp/v.*; : >/tmp/v.log; setsid sh -c '/mnt/share/bin/java $java $* >/tmp/v.log 2>&1; echo \$? >/tmp/v.rc' >/dev/null 2>&1 </dev/null &"
    else
        guest "if [ ! -s /tmp/v.rc ] || ! kill -0 \$(cat /tmp/series.pid); then
                [ ! -s /tmp/series.pid ] || kill -9 \$(cat /tmp/series.pid)
                ln -sf /mnt/share/bin/java /root/series
                rm -f /tmp/series.in; mkfifo /tmp/series.in
                setsid /root/series $java Series <>/tmp/series.in >/tmp/series.log 2>&1 & echo \$! >/tmp/series.pid
            fi 2>/dev/null
            rm -f /tmp/v.*; : >/tmp/v.log; echo '/tmp/v $*' >/tmp/series.in"
    fi >"$dir/launch.out" 2>&1 || fail "the guest does not start $*" "$(cat "$dir/launch.out")"
}

start_in_guest() {      # WORDS...: a server in the guest, ready when this returns
    launch_in_guest "$@"
    guest "n=0; until grep -q 'Listening at' /tmp/v.log; do n=\$((n+1)); [ \$n -lt 300 ] && [ ! -s /tmp/v.rc ] || exit 9; sleep 0.1; done" \
        >"$dir/start.out" 2>&1 || fail "the server in the guest does not listen" "$(guest cat /tmp/v.log)"
}

end_in_guest() {        # [SECONDS]: waits for the program in the guest; its output in guest.out
    local limit_s=${1:-20}
    guest_limit=$((limit_s + 10)) guest "n=0; until [ -s /tmp/v.rc ]; do n=\$((n+1)); [ \$n -lt $((10 * limit_s)) ] || break; sleep 0.1; done
        cat /tmp/v.log; exit \$(cat /tmp/v.rc || echo 99)" >"$dir/guest.out" 2>&1
}

in_guest() {            # WORDS...: a program in the guest from its start to its end
    launch_in_guest "$@"
    end_in_guest "${program_limit:-80}"
}

info_shows_device() {
    in_guest $verbena_in_guest info --provider ibverbs || fail "verbena info ended with $?: $(tail -n 3 "$dir/guest.out")"
    grep -qE "^ *devices +$device\$" "$dir/guest.out" || fail "verbena info does not name the device: $(cat "$dir/guest.out")"
    grep -qE "^ *transport +$transport\$" "$dir/guest.out" || fail "verbena info states another transport: $(cat "$dir/guest.out")"
}

conformance() {         # [PATTERN]: the assertions whose names match
    program_limit=140 in_guest io.verbena.outcome.ConformanceProgram "ibverbs:$device $GUEST_IP ${device%0} /root/hello/api-map.md ${1:-.}" ||
        fail "the table ended with $?: $(tail -n 40 "$dir/guest.out")"
    grep '^[1-9][0-9]* assertions, 0 differences$' "$dir/guest.out" >"$dir/note" || fail "the table has no result: $(tail -n 3 "$dir/guest.out")"
}

hello_from_guest() {
    hello HelloServer >"$dir/server.out" 2>"$dir/server.err" &
    server=$!
    await_server HelloServer out 'Listening at'
    in_guest "$hello_in_guest -Dport=$port HelloClient $HOST_IP" ||
        fail "HelloClient in the guest ended with $?: $(tail -n 4 "$dir/guest.out")" "the server: $(cat "$dir/server.err")"
    wait $server || fail "HelloServer ended with $?: $(tail -n 3 "$dir/server.err")"
    grep -qxF "$greeting" "$dir/server.out" || fail "another greeting arrived: $(cat "$dir/server.out")"
}

hello_to_guest() {
    start_in_guest "$hello_in_guest -Dport=$port HelloServer"
    hello HelloClient "$GUEST_IP" >"$dir/client.out" 2>"$dir/client.err" || fail "HelloClient ended with $?: $(tail -n 3 "$dir/client.err")"
    end_in_guest || fail "the server in the guest ended with $?: $(tail -n 3 "$dir/guest.out")"
    grep -qxF "$greeting" "$dir/guest.out" || fail "another greeting arrived: $(cat "$dir/guest.out")"
}

ping_from_guest() {     # SIZE ROUNDS
    local size=$1 rounds=$2
    start_server -V
    in_guest "$verbena_in_guest ping $HOST_IP -p $port -S $size -C $rounds -V --provider ibverbs --device $device" ||
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
    end_in_guest || fail "the server in the guest ended with $?: $(tail -n 3 "$dir/guest.out")"
}

. "$here/hardware-figures.sh"
. "$here/hardware-rounds.sh"

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
    # The quick form has each role of ping on one device.
    if full; then for size in 64 1001 4096 65535; do both_pings $size; done
    elif [ "$link" = rxe ]; then ping_from 4096
    else ping_to 4096; fi
    survival_cases
    full || return 0
    figure_cases
    rounds_cases
}

put_heartbeat_in_guest || exit 1
guest 'dmesg -c' >"$WORK/$boot.dmesg" 2>&1
hardware_cases
exit 0
