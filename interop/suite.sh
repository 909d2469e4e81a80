#!/bin/bash
# The cases of the suite. interop/run starts it, once with each kind of guest that is up:
#
#   suite.sh plain       the peer is Linux's siw as it is
#   suite.sh tunable     the peer is the siw whose switches can be changed
#
# In its environment: WORK (a folder), VERBENA (the command), VERBENA_CLASSES (its class path)
# JAVA (the program), QUICK (0 or 1),
# ONLY (run only cases whose name matches this), and from run-guest.sh GUEST_IP, HOST_IP, GUEST_EXEC, GUEST_PCAP.
# Every case adds a line to $WORK/results: ok or FAILED, seconds, group, name.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
boot=${1:?plain or tunable}
number=0
done_before=$(cat "$WORK/$boot.done" 2>/dev/null || echo 0)

# ---------------------------------------------------------------------------------------------- what cases are made of

fail() {        # ends the case
    printf '%s\n' "$@" >>"$dir/why"
    exit 1
}

guest() {       # a command line in the guest
    # shellcheck disable=SC2086 # words
    timeout -k 2 "${guest_limit:-90}" $GUEST_EXEC "$*"
}

verbena() {     # the command, its output kept; a limit that no case reaches when all is well
    local label=$1
    shift
    timeout -k 2 "${verbena_limit:-90}" "$VERBENA" "$@" >"$dir/$label.out" 2>"$dir/$label.err" </dev/null
}

wire_size() {   # the size of the guest's capture once nothing has been added for a moment
    local size=-1 next n=0
    next=$(stat -c %s "$GUEST_PCAP")
    until [ "$next" = "$size" ] || [ $n -ge 40 ]; do
        size=$next n=$((n + 1))
        sleep 0.1
        next=$(stat -c %s "$GUEST_PCAP")
    done
    echo "$next"
}

cut_wire() {    # the frames since the case began
    local size
    size=$(wire_size)
    { head -c 24 "$GUEST_PCAP"; tail -c "+$((from + 1))" "$GUEST_PCAP" | head -c "$((size - from))"; } >"$dir/wire.pcap"
}

# The frames on the wire and the capture of Verbena: each well formed, each as the options require, both with the same digest.
captured() {
    local checker
    cut_wire
    "$here/check-capture.sh" "$@" "$dir/wire.pcap" "$port" >"$dir/wire.digest" 2>"$dir/wire.problems" &
    checker=$!
    "$here/check-capture.sh" "$@" "$dir/own.pcapng" "$port" >"$dir/own.digest" 2>"$dir/own.problems" ||
        fail "the capture that verbena wrote is not right:" "$(head -n 5 "$dir/own.problems")"
    wait $checker || fail "the frames on the wire are not right:" "$(head -n 5 "$dir/wire.problems")"
    cmp -s "$dir/wire.digest" "$dir/own.digest" ||
        fail "the capture that verbena wrote differs from the wire:" "$(diff "$dir/wire.digest" "$dir/own.digest")"
}

captured_wire() {       # the wire's frames only
    cut_wire
    "$here/check-capture.sh" "$@" "$dir/wire.pcap" "$port" >"$dir/wire.digest" 2>"$dir/wire.problems" ||
        fail "the frames on the wire are not right:" "$(head -n 5 "$dir/wire.problems")"
}

start_server() {        # verbena ping --server in the background, ready when this returns
    verbena server ping --server -a "$HOST_IP" -p "$port" --json "$@" &
    server=$!
    local n=0
    until grep -q 'Listening at' "$dir/server.err" 2>/dev/null; do
        kill -0 $server 2>/dev/null || fail "verbena ping --server ended early: $(tail -n 1 "$dir/server.err")"
        n=$((n + 1))
        [ $n -lt 200 ] || fail "verbena ping --server does not listen after 20 s"
        sleep 0.1
    done
}

end_server() {          # waits for it; its exit code in $code
    local n=0
    while kill -0 $server 2>/dev/null; do
        n=$((n + 1))
        [ $n -lt 150 ] || fail "verbena ping --server has not ended 15 s after its client" "$(tail -n 3 "$dir/server.err")"
        sleep 0.1
    done
    wait $server
    code=$?
}

start_rping_server() {  # in the guest, ready when this returns: options of rping
    local hex
    hex=$(printf '%04X' "$port")
    guest "rm -f /tmp/s.*; setsid sh -c 'sh /tmp/rping /tmp/s.log -s -p $port $*; echo \$? >/tmp/s.rc' >/dev/null 2>&1 </dev/null &
        n=0; until grep -q ':$hex 00000000:0000 0A' /proc/net/tcp; do n=\$((n+1)); [ \$n -lt 100 ] || exit 9; sleep 0.05; done" \
        >"$dir/rping-start.out" 2>&1 || fail "rping -s does not listen in the guest" "$(guest cat /tmp/s.log)"
}

end_rping_server() {
    guest 'n=0; until [ -s /tmp/s.rc ]; do n=$((n+1)); [ $n -lt 100 ] || break; sleep 0.05; done
        cat /tmp/s.log; exit $(cat /tmp/s.rc || echo 99)' >"$dir/rping.out" 2>&1
    code=$?
    [ $code != 99 ] || fail "rping -s has not ended 5 s after its client"
    [ $code = 0 ] || fail "rping -s ended with $code: $(tail -n 2 "$dir/rping.out")"
}

rping() {               # a client in the guest
    guest "timeout 60 sh /tmp/rping /tmp/c.log -c -a $HOST_IP -p $port $*; rc=\$?; cat /tmp/c.log; exit \$rc" >"$dir/rping.out" 2>&1
}

# rping ends with 255 when its event thread wakes up after the main thread has closed its event channel. That says
# nothing about the rounds, so where it is the only complaint the outcome is taken as 0.
put_rping_in_guest() {
    guest 'cat >/tmp/rping <<"END"
log=$1
shift
rping "$@" >"$log" 2>&1 </dev/null
rc=$?
if [ $rc = 255 ] && grep -q "rdma_get_cm_event: Bad file descriptor" "$log" &&
    ! grep -qvE "^(client|server) DISCONNECT EVENT|^wait for RDMA_READ_ADV state 10|^rdma_get_cm_event: Bad file descriptor|^$" "$log"; then rc=0; fi
exit $rc
END'
}

json_has() {            # FILE NAME VALUE
    grep -qE "\"$2\" *: *$3([,} ]|\$)" "$1"
}

did() {                 # LABEL ROUNDS: checks the JSON object
    json_has "$dir/$1.out" ok true || fail "verbena does not say that all is well: $(cat "$dir/$1.out")"
    json_has "$dir/$1.out" rounds "$2" || fail "verbena counts other than $2 rounds: $(cat "$dir/$1.out")"
}

sentence() {            # LABEL PATTERN: verbena reports the error in one sentence
    local line
    line=$(tail -n 1 "$dir/$1.err")
    [ -n "$line" ] || fail "verbena printed nothing on standard error"
    ! grep -qE '^[[:space:]]+at [a-z]|should not happen' "$dir/$1.err" || fail "not a sentence for people:" "$(tail -n 5 "$dir/$1.err")"
    case $line in "verbena ping: "[A-Z0-9]*[.!?]) ;; *) fail "not a sentence for people: $line";; esac
    grep -qiE -- "$2" <<<"$line" || fail "the sentence does not contain $2: $line"
    printf '%s\n' "${line#verbena ping: }" >"$dir/note"
}

# ------------------------------------------------------------------------------------------------------ kinds of case

from_guest() {          # SIZE ROUNDS "WHAT THE CAPTURE SHOWS" OPTIONS...: rping against verbena's server
    local size=$1 rounds=$2 shows=$3 rc=0
    shift 3
    start_server -V --capture "$dir/own.pcapng" "$@"
    rping "-S $size -C $rounds -V" || rc=$?
    [ $rc = 0 ] || fail "rping ended with $rc: $(tail -n 2 "$dir/rping.out")" "verbena: $(tail -n 2 "$dir/server.err")"
    end_server
    [ $code = 0 ] || fail "verbena ping --server ended with $code: $(tail -n 2 "$dir/server.err")"
    did server "$rounds"
    # shellcheck disable=SC2086 # words
    captured --connections 1 --rounds "$rounds" $shows
}

to_guest() {            # SIZE ROUNDS "WHAT THE CAPTURE SHOWS" OPTIONS...: verbena's client against rping
    local size=$1 rounds=$2 shows=$3 rc=0
    shift 3
    start_rping_server "-S $size -V"
    verbena client ping "$GUEST_IP" -p "$port" -S "$size" -C "$rounds" -V --json --capture "$dir/own.pcapng" "$@" || rc=$?
    [ $rc = 0 ] || fail "verbena ping ended with $rc: $(tail -n 2 "$dir/client.err")" "rping: $(guest cat /tmp/s.log)"
    did client "$rounds"
    end_rping_server
    # shellcheck disable=SC2086 # words
    captured --connections 1 --rounds "$rounds" $shows
}

many_from_guest() {     # SIZE ROUNDS CLIENTS OPTIONS...: several rping at once against one server
    local size=$1 rounds=$2 clients=$3 rc=0
    shift 3
    start_server -P --connections "$clients" -V --capture "$dir/own.pcapng" "$@"
    guest "for i in \$(seq $clients); do (timeout 60 sh /tmp/rping /tmp/c.\$i -c -a $HOST_IP -p $port -S $size -C $rounds -V; echo \$? >/tmp/c.\$i.rc) & done; wait
        for i in \$(seq $clients); do [ \"\$(cat /tmp/c.\$i.rc)\" = 0 ] || { echo \"client \$i: \$(cat /tmp/c.\$i.rc)\"; tail -n 2 /tmp/c.\$i; bad=1; }; done; exit \${bad:-0}" \
        >"$dir/rping.out" 2>&1 || rc=$?
    [ $rc = 0 ] || fail "not every rping was content:" "$(cat "$dir/rping.out")" "verbena: $(tail -n 2 "$dir/server.err")"
    end_server
    [ $code = 0 ] || fail "verbena ping --server ended with $code: $(tail -n 2 "$dir/server.err")"
    did server $((clients * rounds))
    captured --connections "$clients" --rounds $((clients * rounds)) --crc no
}

# The clients connect one after the other and then run at once. Two that ask at the same moment are more than the peer can
# take: before rdma-core 57, rping -P keeps the request it is about to serve in one variable, and a second request that
# comes before its main thread has looked replaces the first, which is never answered.
many_to_guest() {       # SIZE ROUNDS CLIENTS OPTIONS...: several verbena clients at the same time against rping -s -P
    local size=$1 rounds=$2 clients=$3 i rc pids=()
    shift 3
    start_rping_server "-P -S $size -V"
    for i in $(seq "$clients"); do
        verbena "client$i" ping "$GUEST_IP" -p "$port" -S "$size" -C "$rounds" --interval 0.1 -V --json \
            --capture "$dir/own$i.pcapng" "$@" &
        pids+=($!)
        served "$i" "$!"
    done
    for i in $(seq "$clients"); do
        rc=0
        wait "${pids[i - 1]}" || rc=$?
        [ $rc = 0 ] || fail "client $i ended with $rc: $(tail -n 2 "$dir/client$i.err")"
        did "client$i" "$rounds"
    done
    captured_wire --connections "$clients" --rounds $((clients * rounds)) --crc no
    for i in $(seq "$clients"); do
        "$here/check-capture.sh" --connections 1 --rounds "$rounds" --crc no "$dir/own$i.pcapng" "$port" >"$dir/own$i.digest" 2>"$dir/own.problems" ||
            fail "the capture that client $i wrote is not right:" "$(head -n 5 "$dir/own.problems")"
    done
}

# Waits until this many connections to the guest are open and each has received bytes. A pause, not a check: it ends early when the
# client ends, and after a while in any case.
served() {              # COUNT PID
    local n=0
    until [ "$(ss -Htin "dst $GUEST_IP and dport = :$port" | grep -c 'bytes_received:')" -ge "$1" ] || ! kill -0 "$2" 2>/dev/null; do
        n=$((n + 1))
        [ $n -lt 60 ] || break
        sleep 0.1
    done
}

# siw can leave the first FPDU of an initiator unread until more data arrives. Many short connections from one warm JVM provoke that.
many_short() {          # CONNECTIONS FIRST OPTIONS...
    local connections=$1 first=$2 rc=0 woken
    shift 2
    start_rping_server "-P -S 64"
    timeout -k 2 120 "$JAVA" -cp "$VERBENA_CLASSES" "$here/ManyPings.java" "$connections" ping "$GUEST_IP" \
        -p "$port" -S 64 -C 1 -V --quiet --timeout 5 "$@" >"$dir/many.out" 2>"$dir/many.err" </dev/null || rc=$?
    [ $rc = 0 ] || fail "not every connection went well (exit code $rc):" "$(tail -n 3 "$dir/many.err")" "$(tail -n 1 "$dir/many.out")"
    captured_wire --connections "$connections" --rounds "$connections" --crc no --first "$first"
    woken=$(sed -n 's/^zero-length Writes: //p' "$dir/wire.digest")
    [ "$first" != Write ] || woken=$((woken - connections))
    echo "$(tail -n 1 "$dir/many.out"); woken by a zero-length Write: $woken" >"$dir/note"
}

nothing_listens() {
    local rc=0
    verbena_limit=15 verbena client ping "$GUEST_IP" -p "$port" --timeout 5 || rc=$?
    [ $rc = 1 ] || fail "verbena ping ended with $rc, not with 1"
    sentence client 'refused'
}

nobody_there() {
    local rc=0
    verbena_limit=15 verbena client ping "${GUEST_IP%.*}.99" -p "$port" --timeout 2 || rc=$?
    [ $rc = 1 ] || fail "verbena ping ended with $rc, not with 1"
    sentence client 'answer|reach|route|time'
}

rejected() {            # OPTIONS...: siw rejects the request
    local rc=0
    start_rping_server "-P -S 64"
    verbena_limit=15 verbena client ping "$GUEST_IP" -p "$port" --timeout 5 --capture "$dir/own.pcapng" "$@" || rc=$?
    [ $rc = 1 ] || fail "verbena ping ended with $rc, not with 1"
    sentence client 'reject|turned .* away'
    captured --connections 1 --rejected
}

siw_gives_up() {        # OPTIONS...: siw fails on the reply of verbena's server
    local rc=0
    start_server --timeout 5 --capture "$dir/own.pcapng" "$@"
    rping "-S 64 -C 3" || rc=$?
    [ $rc != 0 ] || fail "rping ended well and should not"
    end_server
    [ $code = 1 ] || fail "verbena ping --server ended with $code, not with 1"
    sentence server '.'
    captured_wire --incomplete --connections 1
}

drops() {               # OPTIONS...: siw answers and then closes
    local rc=0
    start_rping_server "-P -S 64"
    verbena_limit=20 verbena client ping "$GUEST_IP" -p "$port" --timeout 5 --capture "$dir/own.pcapng" "$@" || rc=$?
    [ $rc = 1 ] || fail "verbena ping ended with $rc, not with 1"
    sentence client '.'
    captured_wire --incomplete --connections 1
}

answered_with() {       # SHELL COMMAND: the guest's server is no RDMA at all
    local rc=0 started=$SECONDS hex
    hex=$(printf '%04X' "$port")
    guest "setsid nc -l -p $port -e sh -c '$1' >/dev/null 2>&1 </dev/null & echo \$! >/tmp/nc.pid
        n=0; until grep -qi ':$hex .*:0000 0A' /proc/net/tcp /proc/net/tcp6; do n=\$((n+1)); [ \$n -lt 100 ] || exit 9; sleep 0.05; done" \
        >"$dir/nc.out" 2>&1 || fail "nc does not listen in the guest"
    verbena_limit=20 verbena client ping "$GUEST_IP" -p "$port" --timeout 3 || rc=$?
    [ $rc = 1 ] || fail "verbena ping ended with $rc, not with 1"
    [ $((SECONDS - started)) -le 12 ] || fail "verbena ping took $((SECONDS - started)) s to give up, --timeout was 3"
    sentence client '.'
}

garbage_then_rping() {  # nonsense is no client: the server serves the next one
    local rc=0
    start_server --timeout 5
    guest "head -c 200 /dev/urandom | timeout 5 nc $HOST_IP $port >/dev/null; printf 'MPA ID Req Frame' | timeout 2 nc $HOST_IP $port >/dev/null; true" >"$dir/nc.out" 2>&1
    rping "-S 64 -C 5 -V" || rc=$?
    [ $rc = 0 ] || fail "rping ended with $rc after garbage: $(tail -n 2 "$dir/rping.out")" "verbena: $(tail -n 2 "$dir/server.err")"
    end_server
    [ $code = 0 ] || fail "verbena ping --server ended with $code: $(tail -n 2 "$dir/server.err")"
}

peer_dies() {           # rping -s is killed within the rounds
    local rc=0 started
    start_rping_server "-S 64"
    verbena client ping "$GUEST_IP" -p "$port" -C 0 --timeout 5 &
    local client=$!
    sleep 1.5
    kill -0 $client 2>/dev/null || fail "verbena ping ended early: $(tail -n 2 "$dir/client.err")"
    guest 'killall -9 rping' >/dev/null 2>&1
    started=$SECONDS
    wait $client || rc=$?
    [ $rc = 1 ] || fail "verbena ping ended with $rc, not with 1"
    [ $((SECONDS - started)) -le 9 ] || fail "verbena ping needed $((SECONDS - started)) s to notice"
    sentence client '.'
    captured_wire --incomplete --connections 1
}

client_dies() {         # rping -c is killed within the rounds
    start_server --timeout 5 --capture "$dir/own.pcapng"
    guest "timeout -s KILL 1 rping -c -a $HOST_IP -p $port -S 4096 -C 1000000" >"$dir/rping.out" 2>&1
    end_server
    [ $code = 0 ] || [ $code = 1 ] || fail "verbena ping --server ended with $code"
    [ $code = 0 ] || sentence server .
    captured_wire --incomplete --connections 1
}

closing() {             # WAY "WHAT THE CAPTURE SHOWS" OPTIONS...: one connection to rping -s -P, ended in this way
    local way=$1 shows=$2 rc=0
    shift 2
    start_rping_server "-P -S 64"
    timeout -k 2 60 "$JAVA" --enable-native-access=ALL-UNNAMED -cp "$VERBENA_CLASSES" "$here/Closings.java" "$way" "$GUEST_IP" "$port" "$@" \
        >"$dir/closing.out" 2>"$dir/closing.err" </dev/null || rc=$?
    tail -n 1 "$dir/closing.out" >"$dir/note"
    [ $rc = 0 ] || fail "it did not end as it should (exit code $rc):" "$(tail -n 12 "$dir/closing.out")" "$(grep -v '^WARNING' "$dir/closing.err" | tail -n 3)"
    # shellcheck disable=SC2086 # words
    captured_wire --incomplete --connections 1 $shows
    # rping -P is still there, and serves the next one.
    verbena_limit=20 verbena after ping "$GUEST_IP" -p "$port" -S 64 -C 2 --timeout 5 || fail "the next connection fails: $(tail -n 1 "$dir/after.err")"
}

# ----------------------------------------------------------------------------------------------------- running a case

# A kernel that crashed is booted again: the suite exits with status 77, is called again, and skips completed cases.
run_case() {            # GROUP NAME KIND ARGUMENTS...
    local group=$1 name=$2 started outcome seconds
    shift 2
    number=$((number + 1))
    [ $number -gt "$done_before" ] || return
    if [ -n "${ONLY:-}" ] && ! grep -qiE -- "$ONLY" <<<"$boot $group: $name"; then return; fi
    port=$((17600 + number)) dir=$WORK/$boot/$(printf '%02d' "$number")
    [ "$boot" = plain ] || port=$((port + 200))
    mkdir -p "$dir"
    echo "$group: $name" >"$dir/name"
    from=$(stat -c %s "$GUEST_PCAP")
    started=${EPOCHREALTIME/./}
    if (trap leave_case EXIT; "$@") 2>"$dir/shell.err"; then outcome=ok; else outcome=FAILED; fi
    seconds=$(awk -v us=$((${EPOCHREALTIME/./} - started)) 'BEGIN { printf "%.1f", us / 1e6 }')
    printf '%-6s %5s s  %s: %s\n' "$outcome" "$seconds" "$group" "$name"
    [ ! -s "$dir/note" ] || sed 's/^/                  /' "$dir/note"
    if [ $outcome = FAILED ]; then
        cat "$dir/why" "$dir/shell.err" 2>/dev/null | sed 's/^/                  /'
        grep -v 'speed is unknown\|iwpm_register_pid' "$dir/dmesg" | grep -v '^$' | tail -n 5 | sed 's/^/                  guest: /'
    fi
    printf '%s\t%s\t%s\t%s\n' "$outcome" "$seconds" "$group" "$name" >>"$WORK/results"
    echo "$number" >"$WORK/$boot.done"
    if [ -e "$WORK/reboot" ]; then
        rm "$WORK/reboot"
        echo "                  the guest's kernel $(grep -o 'BUG:.*\|Oops.*' "$dir/dmesg" | head -n 1 | grep . || echo 'does not answer any more'); it is booted again"
        exit 77
    fi
}

end_tree() {            # a process and all that it started
    local child
    for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do end_tree "$child"; done
    kill -KILL "$1" 2>/dev/null
}

leave_case() {          # ends all processes of a case, here and in the guest; keeps the kernel log of the guest
    local rc=$? job
    for job in $(jobs -p); do end_tree "$job"; done
    wait 2>/dev/null
    guest_limit=10 guest "exec 2>/dev/null; killall -9 rping; [ ! -e /tmp/nc.pid ] || kill -9 \$(cat /tmp/nc.pid); rm -f /tmp/nc.pid; dmesg -c" >"$dir/dmesg" 2>/dev/null || : >"$WORK/reboot"
    ! grep -q 'BUG:\|Oops' "$dir/dmesg" || : >"$WORK/reboot"
    exit $rc
}

tune() {                # NAME=VALUE...: siw's switches; the others as they were at first
    local p
    guest "cd /sys/module/siw/parameters && . /tmp/siw-defaults && for p in $*; do echo \"\${p#*=}\" >\"\${p%%=*}\" || exit 1; done" >/dev/null ||
        echo "suite: siw does not take $*" >&2
}

# ----------------------------------------------------------------------------------------------------------- the cases

# Rounds by size, for a peer that runs about fifty times slower than its host.
rounds() {
    local n
    case $1 in
        64) n=400;; 999 | 1001) n=200;; 4096) n=120;; *) n=40;;
    esac
    [ "$QUICK" = 0 ] || n=$((n / 10))
    echo $n
}
both() {                # GROUP "SIZES" "NAME" "WHAT THE CAPTURE SHOWS" OPTIONS...: both directions
    local group=$1 sizes=$2 name=$3 shows=$4 size n
    shift 4
    for size in $sizes; do
        n=$(rounds "$size")
        run_case "$group" "rping against verbena${name:+, $name}, $n rounds of $size bytes" from_guest "$size" "$n" "$shows" "$@"
        run_case "$group" "verbena against rping${name:+, $name}, $n rounds of $size bytes" to_guest "$size" "$n" "$shows" "$@"
    done
}
full() { [ "$QUICK" = 0 ]; }

plain_cases() {
    local few=4096 all="64 999 1001 4096 65535" connections=130 n
    full || { all="64 1001 65535" connections=65; }
    both sizes "$all" "" "--crc no"

    both crc "999 65535" "verbena wants CRC" "--crc yes" --crc
    full && both crc "64" "verbena wants CRC, inline" "--crc yes" --crc --inline

    n=$(rounds 64)
    run_case p2p "verbena against rping, peer-to-peer asked for, $n rounds of 64 bytes" to_guest 64 "$n" "--crc no --p2p yes" --p2p
    run_case p2p "verbena against rping, no peer-to-peer, $n rounds of 64 bytes" to_guest 64 "$n" "--crc no --p2p no --first Send" --no-p2p
    full && run_case p2p "verbena against rping, peer-to-peer and CRC, $n rounds of 1001 bytes" to_guest 1001 "$n" "--crc yes --p2p yes" --p2p --crc
    full && run_case p2p "verbena against rping, CRC and no peer-to-peer, $n rounds of 1001 bytes" to_guest 1001 "$n" "--crc yes --p2p no --first Send" --no-p2p --crc

    both progress "$few" "inline" "--crc no" --inline
    full && both progress "65535" "inline" "--crc no" --inline
    both progress "$few" "two engine threads" "--crc no" --engine-thread --engines 2

    full && both fpdu "4096" "FPDUs of 64 bytes at most" "--crc no" --fpdu 64
    both fpdu "65535" "FPDUs of 1424 bytes at most" "--crc no" --fpdu 1424
    both fpdu "65535" "FPDUs of 64000 bytes at most" "--crc no" --fpdu 64000
    full && both fpdu "65535" "FPDUs of 64000 bytes at most, CRC" "--crc yes" --fpdu 64000 --crc

    n=$(rounds 4096)
    run_case many "4 rping at once against one verbena, $n rounds of 4096 bytes each" many_from_guest 4096 "$n" 4
    full && run_case many "4 rping at once against one verbena, inline, $n rounds of 1001 bytes each" many_from_guest 1001 "$n" 4 --inline
    full && run_case many "8 rping at once against one verbena, two engine threads, $n rounds of 64 bytes each" many_from_guest 64 "$n" 8 --engines 2
    [ "$n" -ge 60 ] || n=60 # long enough that the first is still running when the last one starts
    run_case many "4 verbena at once against one rping, $n rounds of 4096 bytes each" many_to_guest 4096 "$n" 4

    run_case first-fpdu "$connections short connections, no peer-to-peer: none hangs" many_short $connections Send --no-p2p
    run_case first-fpdu "$connections short connections, peer-to-peer: none hangs" many_short $connections Write --p2p
    full && run_case first-fpdu "$connections short connections, no peer-to-peer, inline: none hangs" many_short $connections Send --no-p2p --inline

    run_case closing "graceful, from our side" closing graceful "--crc no"
    run_case closing "graceful, no peer-to-peer, CRC" closing graceful "--crc yes" no-p2p crc
    run_case closing "connected with 100 bytes of private data" closing private-data "--crc no"
    run_case closing "aborted on our side" closing abort ""
    run_case closing "a bad key of ours: siw's Terminate is understood and blames the Read" closing bad-key-here ""
    run_case closing "a bad key of siw's: our Terminate goes out" closing bad-key-there ""
    run_case closing "closed while siw is about to read" closing work-pending ""
    full && run_case closing "silent for five keep-alive bounds: siw answers the probes" closing keep-alive ""

    run_case refusal "nothing listens" nothing_listens
    run_case refusal "siw rejects a request for markers" rejected --markers
    run_case refusal "siw gives up on a reply with markers" siw_gives_up --markers
    run_case refusal "siw drops MPA revision 1 at the first Read" drops --revision 1
    full && run_case refusal "nobody has the address" nobody_there
    run_case refusal "a server that never answers" answered_with 'sleep 20'
    run_case refusal "a server that answers nonsense" answered_with 'head -c 300 /dev/urandom; sleep 5'
    full && run_case refusal "a server that closes at once" answered_with 'true'
    run_case refusal "nonsense to a verbena server, then rping" garbage_then_rping
    run_case refusal "the server is killed" peer_dies
    run_case refusal "the client is killed" client_dies
}

tunable_cases() {
    local n size type want
    guest 'cd /sys/module/siw/parameters && for p in *; do echo "echo $(cat $p) >$p"; done >/tmp/siw-defaults; cat /tmp/siw-defaults' >"$WORK/siw-defaults" ||
        echo "suite: the guest's siw has no switches" >&2

    tune mpa_crc_required=1
    for size in 1001 65535; do
        n=$(rounds $size)
        run_case crc "rping against verbena, siw wants CRC, $n rounds of $size bytes" from_guest $size "$n" "--crc yes"
    done
    both crc "4096" "both want CRC" "--crc yes" --crc
    # A responder that requires CRC does not request it in its reply (siw_proc_mpareq), so CRC is not used.
    run_case crc "verbena against rping, siw wants CRC but does not ask, $n rounds of 1001 bytes" to_guest 1001 "$n" "--crc no"
    tune mpa_crc_strict=1
    run_case refusal "a strict siw rejects a request for CRC" rejected --crc
    run_case refusal "a strict siw gives up on a reply with CRC" siw_gives_up --crc

    n=$(rounds 64)
    for type in 0x40 0x80 0xc0; do
        tune peer_to_peer=1 rtr_type=$type
        case $type in 0x40) want=ReadRequest;; *) want=Write;; esac
        run_case p2p "rping against verbena, siw asks for peer-to-peer, RTR type $type, $n rounds of 64 bytes" from_guest 64 "$n" "--crc no --p2p yes --first $want"
        run_case p2p "verbena against rping, both peer-to-peer, RTR type $type, $n rounds of 64 bytes" to_guest 64 "$n" "--crc no --p2p yes" --p2p
    done
    full && run_case p2p "rping against verbena, siw asks for peer-to-peer, 40 rounds of 65535 bytes" from_guest 65535 40 "--crc no --p2p yes"
    full && run_case p2p "rping against verbena, inline, siw asks for peer-to-peer, $n rounds of 64 bytes" from_guest 64 "$n" "--crc no --p2p yes" --inline
    run_case p2p "verbena against rping, siw peer-to-peer, verbena not, $n rounds of 64 bytes" to_guest 64 "$n" "--crc no --p2p no" --no-p2p
    tune peer_to_peer=1 mpa_crc_required=1
    both p2p "1001" "peer-to-peer and CRC" "--crc yes --p2p yes" --p2p --crc
    tune relaxed_ird_negotiation=0
    run_case p2p "rping against verbena, siw insists on IRD and ORD, $n rounds of 64 bytes" from_guest 64 "$n" "--crc no"

    tune try_gso=1
    both tuning "65535" "siw asks for large FPDUs" "--crc no"
    full || return 0
    tune try_gso=1 mpa_crc_required=1
    both tuning "65535" "siw asks for large FPDUs, CRC" "--crc yes" --crc
    tune zcopy_tx=0
    both tuning "65535" "siw copies" "--crc no"
    tune siw_tcp_nagle=1
    both tuning "1001" "siw with Nagle's algorithm" "--crc no"
    tune mpa_version=1
    run_case tuning "rping against verbena, siw speaks MPA revision 1, $n rounds of 64 bytes" from_guest 64 "$n" "--crc no --p2p no"
}

put_rping_in_guest || exit 1
guest 'dmesg -c' >"$WORK/$boot.dmesg" 2>&1
case $boot in
    plain) plain_cases;;
    tunable) tunable_cases;;
    *) echo "suite: $boot is neither plain nor tunable" >&2; exit 2;;
esac
exit 0
