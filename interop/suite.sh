#!/bin/bash
# The cases against siw. interop/run starts it, once with each kind of guest that is up:
#
#   suite.sh plain       the peer is Linux's siw as it is
#   suite.sh tunable     the peer is the siw whose switches can be changed
#
# common.sh says what is in its environment.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
boot=${1:?plain or tunable}
first_port=17600
[ "$boot" = plain ] || first_port=17800
provider=(--provider iwarp)
device='-d siw0'
listening() { printf "grep -q ':%04X 00000000:0000 0A' /proc/net/tcp" "$1"; }
. "$here/common.sh"
. "$here/rsockets.sh"

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

# Two connections, and more that siw refused before ib_OP listened for the second one.
perftest_captured() { captured_wire --incomplete; }

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

tune() {                # NAME=VALUE...: siw's switches; the others as they were at first
    local p
    guest "cd /sys/module/siw/parameters && . /tmp/siw-defaults && for p in $*; do echo \"\${p#*=}\" >\"\${p%%=*}\" || exit 1; done" >/dev/null ||
        echo "suite: siw does not take $*" >&2
}

# The TCP of Verbena instead of that of this system: an RNIC at 10.78.0.2, which the guest reaches through this system.
own_tcp_up() {
    "$VERBENA" net up --address 10.78.0.1/24 >"$WORK/net-up" 2>&1 </dev/null && sysctl -qw net.ipv4.ip_forward=1 &&
        guest "ip route replace 10.78.0.0/24 via $HOST_IP" || echo "suite: no device for the TCP of Verbena: $(tail -n 1 "$WORK/net-up")" >&2
}
own_tcp_down() {
    disturb
    "$VERBENA" net down >/dev/null 2>&1 </dev/null
}

disturb() {             # the options of netem for packets of 10.78.0.0/24, in both directions; none for a clean path
    guest 'tc qdisc del dev eth0 root; tc qdisc del dev eth0 ingress; ip link del ifbv' >/dev/null 2>&1
    [ $# -gt 0 ] || return 0
    guest "tc qdisc add dev eth0 root handle 1: prio bands 4 && tc qdisc add dev eth0 parent 1:4 netem limit 10000 $* &&
        tc filter add dev eth0 parent 1: protocol ip u32 match ip dst 10.78.0.0/24 flowid 1:4 &&
        ip link add ifbv type ifb && ip link set ifbv up && tc qdisc add dev ifbv root netem limit 10000 $* &&
        tc qdisc add dev eth0 ingress && tc filter add dev eth0 parent ffff: protocol ip u32 match ip src 10.78.0.0/24 action mirred egress redirect dev ifbv" \
        >"$WORK/disturb" 2>&1 || echo "suite: the guest cannot disturb the path: $(tail -n 1 "$WORK/disturb")" >&2
}

disturbed() {           # fails the case if nothing was lost, since the case would show nothing then
    guest 'tc -s qdisc show' >"$dir/netem" 2>&1
    [ "$(grep -A1 netem "$dir/netem" | grep -c 'dropped [1-9]')" = 2 ] || fail "nothing was lost in one of the directions:" "$(grep -A1 netem "$dir/netem")"
}

own_from_guest() {      # SIZE ROUNDS OPTIONS...: rping against verbena with its own TCP, on a bad path
    local size=$1 rounds=$2 rc=0
    shift 2
    HOST_IP=10.78.0.2
    start_server -V --tcp tun "$@"
    rping "-S $size -C $rounds -V" || rc=$?
    [ $rc = 0 ] || fail "rping ended with $rc: $(tail -n 2 "$dir/rping.out")" "verbena: $(tail -n 2 "$dir/server.err")"
    end_server
    [ $code = 0 ] || fail "verbena ping --server ended with $code: $(tail -n 2 "$dir/server.err")"
    did server "$rounds"
    disturbed
}

own_to_guest() {        # SIZE ROUNDS OPTIONS...
    local size=$1 rounds=$2 rc=0
    shift 2
    start_rping_server "-S $size -V"
    verbena client ping "$GUEST_IP" -p "$port" -S "$size" -C "$rounds" -V --json --tcp tun "$@" || rc=$?
    [ $rc = 0 ] || fail "verbena ping ended with $rc: $(tail -n 2 "$dir/client.err")" "rping: $(guest cat /tmp/s.log)"
    did client "$rounds"
    end_rping_server
    disturbed
}

own_clean() {           # DIRECTION SIZE ROUNDS OPTIONS...: on a clean path, with both captures
    local direction=$1 size=$2 rounds=$3
    shift 3
    [ "$direction" = to_guest ] || HOST_IP=10.78.0.2
    "$direction" "$size" "$rounds" "--crc yes" --tcp tun --crc "$@"
}

# The second interface of the guest, which is connected to the TCP of Verbena by QEMU, without a device of this system.
link_up() {
    guest 'ip addr replace 10.79.0.2/24 dev eth1 && ip link set eth1 up && { rdma link show siw1 >/dev/null 2>&1 || rdma link add siw1 type siw netdev eth1; }' \
        >"$WORK/link-up" 2>&1 || echo "suite: the guest's second interface cannot be used: $(tail -n 1 "$WORK/link-up")" >&2
}

link() {                # DIRECTION SIZE ROUNDS OPTIONS...: with both captures
    local direction=$1 size=$2 rounds=$3
    shift 3
    GUEST_IP=10.79.0.2 HOST_IP=10.79.0.1
    "$direction" "$size" "$rounds" "--crc yes" --tcp qemu --device "$WORK/link" --tcp-address $HOST_IP/24 --crc "$@"
}

link_echo() {           # BYTES: bulk data to and from the guest's TCP, in both roles
    guest "setsid nc -ll -p $port -e cat >/dev/null 2>&1 </dev/null & echo \$! >/tmp/nc.pid
        n=0; until grep -qi ':$(printf '%04X' "$port") .*:0000 0A' /proc/net/tcp /proc/net/tcp6; do n=\$((n+1)); [ \$n -lt 100 ] || exit 9; sleep 0.05; done" \
        >"$dir/nc.out" 2>&1 || fail "nc does not listen in the guest"
    # shellcheck disable=SC2086 # words
    timeout -k 2 90 "$JAVA" -cp "$VERBENA_CLASSES" "$here/GuestEcho.java" "$WORK/link" 10.79.0.1/24 10.79.0.2 "$port" "$1" \
        $GUEST_EXEC "nc 10.79.0.1 $((port + 1)) -e cat" >"$dir/echo.out" 2>"$dir/echo.err" </dev/null || fail "$(grep -v '^WARNING' "$dir/echo.err" | head -n 5)"
    cp "$dir/echo.out" "$dir/note"
}

# ----------------------------------------------------------------------------------------------------------- the cases

both() {                # GROUP "SIZES" "NAME" "WHAT THE CAPTURE SHOWS" OPTIONS...: both directions
    local group=$1 sizes=$2 name=$3 shows=$4 size n
    shift 4
    for size in $sizes; do
        n=$(rounds "$size")
        run_case "$group" "rping against verbena${name:+, $name}, $n rounds of $size bytes" from_guest "$size" "$n" "$shows" "$@"
        run_case "$group" "verbena against rping${name:+, $name}, $n rounds of $size bytes" to_guest "$size" "$n" "$shows" "$@"
    done
}
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

    # ib_write_lat as the client waits for a Write of the server, which may not send first unless siw asks for peer-to-peer (RFC 5044).
    both_perftests send_lat 64 200 -R
    full && both_perftests send_bw 64 200 -R
    full && both_perftests read_lat 64 200 -R
    full && run_case perftest "verbena against ib_write_lat -R, 200 messages of 64 bytes" verbena_to_perftest write_lat 64 200 -R

    run_case closing "graceful, from our side" closing graceful "--crc no"
    run_case closing "graceful, no peer-to-peer, CRC" closing graceful "--crc yes" no-p2p crc
    run_case closing "connected with 100 bytes of private data" closing private-data "--crc no"
    run_case closing "aborted on our side" closing abort ""
    run_case closing "a bad key of ours: siw's Terminate is understood and blames the Read" closing bad-key-here ""
    run_case closing "a bad key of siw's: our Terminate goes out" closing bad-key-there ""
    run_case closing "closed while siw is about to read" closing work-pending ""
    run_case closing "silent for five keep-alive bounds: siw answers the probes" closing keep-alive ""

    rsockets_cases

    own_tcp_up
    n=$(rounds 65535)
    run_case own-tcp "rping against the TCP of verbena, $n rounds of 65535 bytes" own_clean from_guest 65535 "$n"
    run_case own-tcp "the TCP of verbena against rping, $n rounds of 65535 bytes" own_clean to_guest 65535 "$n"
    disturb loss 5% delay 2ms 1ms reorder 25% duplicate 1%
    run_case own-tcp "rping against the TCP of verbena, 5 % lost and reordered, 20 rounds of 16384 bytes" own_from_guest 16384 20 --crc
    run_case own-tcp "the TCP of verbena against rping, 5 % lost and reordered, 20 rounds of 16384 bytes" own_to_guest 16384 20 --crc
    own_tcp_down
    link_up
    GUEST_PCAP=$GUEST_PCAP.link run_case own-tcp "the TCP of the guest and that of verbena on the wire of QEMU, an echo" link_echo 4000000
    GUEST_PCAP=$GUEST_PCAP.link run_case own-tcp "rping against verbena on the wire of QEMU, $n rounds of 65535 bytes" link from_guest 65535 "$n"
    GUEST_PCAP=$GUEST_PCAP.link run_case own-tcp "verbena against rping on the wire of QEMU, $n rounds of 65535 bytes" link to_guest 65535 "$n"

    run_case refusal "nothing listens" nothing_listens
    run_case refusal "siw rejects a request for markers" rejected --markers
    run_case refusal "siw gives up on a reply with markers" siw_gives_up --markers
    run_case refusal "siw drops MPA revision 1 at the first Read" drops --revision 1
    full && run_case refusal "no machine has the address" nobody_there
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

put_rping_in_guest && put_heartbeat_in_guest || exit 1
guest 'dmesg -c' >"$WORK/$boot.dmesg" 2>&1
case $boot in
    plain) plain_cases;;
    tunable) tunable_cases;;
    *) echo "suite: $boot is neither plain nor tunable" >&2; exit 2;;
esac
exit 0
