#!/bin/bash
# C programs at both sides of `verbena net impair`: two guests, each with rping and the programs of libibverbs, and the forwarder in the link
# of one of them. interop/run starts it in namespaces of its own:
#
#   between.sh between
#
#   guest A -- bridge -- impair0 -- verbena net impair -- packet socket -- guest B
#
# In its environment: WORK (a folder), VERBENA (the command), ONLY (run only cases whose name matches this), RDMA_GUEST_DIR (the guest), and in the
# full form JAVA and JAVA_HELLO (classes for the guests). Every
# case adds a line to $WORK/results: ok or FAILED, seconds, group, name.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
group=impaired
port=18900

fail() {        # ends the case
    printf '%s\n' "$@" >>"$dir/why"
    exit 1
}

run_case() {    # NAME COMMAND...
    local name=$1 started outcome seconds
    shift
    if [ -n "${ONLY:-}" ] && ! grep -qiE -- "$ONLY" <<<"between $group: $name"; then return; fi
    dir=$(mktemp -d "$WORK/between/XXXXXX")
    started=${EPOCHREALTIME/./}
    if ("$@") 2>"$dir/shell.err"; then outcome=ok; else outcome=FAILED; fi
    seconds=$(awk -v us=$((${EPOCHREALTIME/./} - started)) 'BEGIN { printf "%.1f", us / 1e6 }')
    printf '%-6s %5s s  %s: %s\n' "$outcome" "$seconds" "$group" "$name"
    [ ! -s "$dir/note" ] || sed 's/^/                  /' "$dir/note"
    printf '%s\t%s\t%s\t%s\n' "$outcome" "$seconds" "$group" "$name" >>"$WORK/results"
    [ $outcome = ok ] || { echo "FAILED: $group: $name"; cat "$dir/why" "$dir/shell.err"; } | sed '2,$s/^/                  /' | tee -a "$WORK/failures"
}

forward() {     # RULES...: from now on all frames of guest B pass the forwarder
    local tap mac=52:54:00:4d:00:03
    $EXEC_A "ping -c 1 $B" >/dev/null
    tap=$(bridge fdb show br "$BRIDGE" | awk -v mac=$mac '$1 == mac { print $3; exit }')
    [ -n "$tap" ] || fail "the bridge does not know the address of guest B"
    echo "$tap" >"$WORK/between/tap"
    ip tuntap add dev impair0 mode tap && ip link set impair0 mtu 1500 up && ip link set impair0 master "$BRIDGE" || fail "no tap device"
    ip link set "$tap" nomaster && ip link set "$tap" arp off || fail "the device of guest B stays in the bridge"
    start_forwarder "$@"
}

start_forwarder() {     # OPTIONS...
    local n=0 tap
    tap=$(cat "$WORK/between/tap")
    setsid "$VERBENA" net impair "packet:$tap" tap:impair0 --json "$@" >"$WORK/between/impair.out" 2>"$WORK/between/impair.err" </dev/null &
    echo $! >"$WORK/between/impair.pid"
    until grep -q 'Forwarding between' "$WORK/between/impair.err" && $EXEC_B true >/dev/null 2>&1; do
        n=$((n + 1))
        [ $n -lt 300 ] && kill -0 $! 2>/dev/null || fail "no forwarder: $(tail -n 1 "$WORK/between/impair.err")"
        sleep 0.1
    done
}

end_forwarder() {
    local n=0 pid
    pid=$(cat "$WORK/between/impair.pid")
    kill -TERM "$pid" 2>/dev/null
    while kill -0 "$pid" 2>/dev/null && [ $n -lt 200 ]; do
        n=$((n + 1))
        sleep 0.05
    done
}

figures() {     # NAMES OF COUNTERS...: the forwarder has done that, and nothing was lost that no rule names
    local each
    end_forwarder
    for each; do
        grep -qE "\"$each\":[1-9]" "$WORK/between/impair.out" || fail "the forwarder counts no packet that was $each: $(cat "$WORK/between/impair.out")"
    done
    grep -o '"fromA.*' "$WORK/between/impair.out" | cut -c 1-140 >"$dir/note"
}

rping() {       # SIZE ROUNDS: the client in guest A, the server in guest B
    local rc=0
    $EXEC_B "rm -f /tmp/s.*; setsid sh -c 'rping -s -p $port -S $1 -C $2 -V >/tmp/s.log 2>&1; echo \$? >/tmp/s.rc' >/dev/null 2>&1 </dev/null &
        n=0; until rdma resource show cm_id | grep -q 'state LISTEN.*:$port '; do n=\$((n+1)); [ \$n -lt 200 ] || exit 9; sleep 0.05; done" \
        >"$dir/start" 2>&1 || fail "rping -s does not listen: $(cat "$dir/start")"
    $EXEC_A "timeout 90 rping -c -a $B -p $port -S $1 -C $2 -V -v" >"$dir/client" 2>&1 || rc=$?
    grep -c '^ping data' "$dir/client" >"$dir/rounds"
    # rping may end with 255 after its last round, when its event thread wakes up late.
    [ "$(cat "$dir/rounds")" = "$2" ] || fail "rping ended with $rc after $(cat "$dir/rounds") of $2 rounds: $(tail -n 2 "$dir/client")"
}

pingpong() {    # SIZE ROUNDS
    $EXEC_B "rm -f /tmp/p.*; setsid sh -c 'ibv_rc_pingpong -d rxe0 -g 1 -m 1024 -p $port -s $1 -n $2 >/tmp/p.log 2>&1; echo \$? >/tmp/p.rc' >/dev/null 2>&1 </dev/null &
        n=0; until grep -qi ':$(printf '%04X' $port) .*:0000 0A' /proc/net/tcp; do n=\$((n+1)); [ \$n -lt 200 ] || exit 9; sleep 0.05; done" \
        >"$dir/start" 2>&1 || fail "ibv_rc_pingpong does not listen: $(cat "$dir/start")"
    $EXEC_A "timeout 90 ibv_rc_pingpong -d rxe0 -g 1 -m 1024 -p $port -s $1 -n $2 $B" >"$dir/client" 2>&1 ||
        fail "ibv_rc_pingpong ended with $?: $(tail -n 2 "$dir/client")"
}

rxe_cases() {
    run_case "a forwarder between two guests with rxe" forward -r 'proto==roce loss 1% duplicate 2% corrupt 1% delay 200us'
    run_case "ibv_rc_pingpong of two guests over rxe, lost, doubled, damaged and late, 200 messages of 4096 bytes" pingpong 4096 200
    run_case "rping of two guests over rxe, lost, doubled, damaged and late, 50 rounds of 4096 bytes" rping 4096 50
    run_case "what the forwarder did between two guests with rxe" figures lost duplicated corrupted delayed
    [ "${QUICK:-0}" = 1 ] || survival_cases
}

# Programs of Verbena in both guests, whose adapters lose their path three times for longer than they repeat a request.
survival() {            # LOG
    local java="/mnt/share/bin/java -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -cp /root/verbena/verbena-tools.jar:/root/hello"
    local script=$dir/script at
    $EXEC_B "rm -f /tmp/v.*; setsid sh -c '$java AdapterSurvival server rxe0 $B 3 $1 1 >/tmp/v.log 2>&1; echo \$? >/tmp/v.rc' >/dev/null 2>&1 </dev/null &
        n=0; until grep -q Listening /tmp/v.log; do n=\$((n+1)); [ \$n -lt 600 ] && [ ! -s /tmp/v.rc ] || exit 9; sleep 0.1; done" \
        >"$dir/start" 2>&1 || fail "the server does not listen: $($EXEC_B cat /tmp/v.log)"
    [ -s "$WORK/between/tap" ] || forward
    end_forwarder
    for at in 30 50 70; do
        echo "at ${at}s: proto==roce loss 100%"
        echo "at $((at + 8))s: clear"
    done >"$script"
    start_forwarder --script "$script"
    $EXEC_A "timeout 240 $java AdapterSurvival client rxe0 $B 3 $1 $RANDOM" >"$dir/client" 2>&1 ||
        fail "AdapterSurvival ended with $?: $(tail -n 5 "$dir/client")" "the server: $($EXEC_B cat /tmp/v.log)"
    tail -n 1 "$dir/client" >"$dir/note"
}

survival_cases() {
    run_case "connections of two guests over rxe that survive cuts, with a log" survival true
    run_case "connections of two guests over rxe that survive cuts, without a log" survival false
}

siw_cases() {   # TCP repeats what is lost; a damaged FPDU ends a connection, so nothing is damaged
    run_case "a forwarder between two guests with siw" forward -r "proto==tcp dport==$port loss 1% duplicate 2% delay 200us" \
        -r "proto==tcp sport==$port loss 1% reorder 2% by 1ms"
    run_case "rping of two guests over siw, lost, doubled, late and overtaken, 100 rounds of 16384 bytes" rping 16384 100
    run_case "what the forwarder did between two guests with siw" figures lost duplicated delayed reordered
}

case ${2:-} in
    '')
        rc=0
        jvm=()
        [ "${QUICK:-0}" = 1 ] || jvm=(--mem 1024 --share "${JAVA%/bin/java}" --add "$WORK/in-guest:/root/verbena" --add "$JAVA_HELLO:/root/hello")
        for adapter in rxe siw; do
            "$here/run-pair.sh" --links $adapter --timeout 600 "${jvm[@]}" -- "$0" between $adapter || rc=1
            ip link del impair0 2>/dev/null
        done
        exit $rc;;
    *)
        "$2_cases"
        exit 0;;
esac
