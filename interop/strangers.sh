#!/bin/bash
# Cases with programs of Linux that `verbena` does not speak to, and with IPv6; rxe.sh reads it. strangers/*.java are the other side of
# ucmatose, udaddy, mckey and qperf, over the verbs.

compile_strangers() {
    [ -e "$WORK/strangers/Side.class" ] || "${JAVA%java}javac" -cp "$VERBENA_CLASSES" -d "$WORK/strangers" "$here"/strangers/*.java
}

stranger() {            # LABEL CLASS ARGUMENTS...
    local label=$1
    shift
    timeout -k 2 90 "$JAVA" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp "$WORK/strangers:$VERBENA_CLASSES" "$@" \
        >"$dir/$label.out" 2>"$dir/$label.err" </dev/null
}

# CLASS ARGUMENTS... -- COMMAND...: Verbena's side first, then the program in the guest
stranger_to_verbena() {
    local ours=() rc=0 n=0
    until [ "$1" = -- ]; do ours+=("$1"); shift; done
    shift
    stranger server "${ours[@]}" &
    server=$!
    until grep -q Listening "$dir/server.err" 2>/dev/null; do
        kill -0 $server 2>/dev/null || fail "${ours[0]} ended early: $(tail -n 3 "$dir/server.err")"
        n=$((n + 1))
        [ $n -lt 200 ] || fail "${ours[0]} does not listen after 20 s"
        sleep 0.1
    done
    guest "timeout 60 $*" >"$dir/guest.out" 2>&1 || rc=$?
    [ $rc = 0 ] || fail "$1 ended with $rc: $(tail -n 2 "$dir/guest.out")" "verbena: $(tail -n 3 "$dir/server.err")"
    wait $server || fail "verbena's side ended with $?: $(tail -n 3 "$dir/server.err")" "the guest: $(tail -n 2 "$dir/guest.out")"
    packets_right
}

# READY CLASS ARGUMENTS... -- COMMAND...: the program in the guest first; READY succeeds there once Verbena's side may start
verbena_to_stranger() {
    local ready=$1 ours=() rc=0
    shift
    until [ "$1" = -- ]; do ours+=("$1"); shift; done
    shift
    guest "rm -f /tmp/p.*; setsid sh -c 'timeout 60 $* >/tmp/p.log 2>&1; echo \$? >/tmp/p.rc' >/dev/null 2>&1 </dev/null &
        n=0; until $ready; do n=\$((n+1)); [ \$n -lt 100 ] || exit 9; sleep 0.05; done" \
        >"$dir/start.out" 2>&1 || fail "$1 is not ready in the guest" "$(guest cat /tmp/p.log)"
    stranger client "${ours[@]}" || rc=$?
    [ $rc = 0 ] || fail "verbena's side ended with $rc: $(tail -n 3 "$dir/client.err")" "the guest: $(guest cat /tmp/p.log)"
    [ "$1" != qperf ] || { guest killall qperf && packets_right; return; }      # a server that does not end by itself
    guest 'n=0; until [ -s /tmp/p.rc ]; do n=$((n+1)); [ $n -lt 100 ] || break; sleep 0.05; done; cat /tmp/p.log; exit $(cat /tmp/p.rc || echo 99)' >"$dir/guest.out" 2>&1 ||
        fail "$1 ended with $?: $(tail -n 2 "$dir/guest.out")"
    packets_right
}

both_strangers() {      # PROGRAM PORT CONNECTIONS MESSAGES BYTES
    local what="$3 connections, $4 messages of $5 bytes" options="-c $3 -C $4 -S $5"
    run_case strangers "$1 against verbena, $what" stranger_to_verbena CmStranger "$1" server "$HOST_IP" "$3" "$4" "$5" -- "$1" -s "$HOST_IP" "$options"
    run_case strangers "verbena against $1, $what" verbena_to_stranger "$(listening "$2")" CmStranger "$1" client "$HOST_IP" "$3" "$4" "$5" "$GUEST_IP" -- "$1" -b "$GUEST_IP" "$options"
}

both_qperfs() {         # TEST BYTES
    run_case strangers "qperf -cm 1 against verbena, $1, $2 bytes" stranger_to_verbena QperfStranger server "$HOST_IP" -- qperf "$HOST_IP" -cm 1 -t 1 -m "$2" "$1"
    run_case strangers "verbena against qperf -cm 1, $1, $2 bytes" verbena_to_stranger "grep -qi ':4D35 .*:0000 0A' /proc/net/tcp /proc/net/tcp6" \
        QperfStranger client "$HOST_IP" "$1" "$2" "$GUEST_IP" -- qperf
}

# 239.1.1.1 is 010101EF in /proc/net/igmp. Both roles of mckey wait 3 s after they have joined.
stranger_cases() {
    both_strangers ucmatose 7471 4 10 4096
    both_strangers udaddy 7174 2 10 1000
    both_qperfs rc_lat 64
    full || return 0
    both_qperfs rc_rdma_read_bw 16384
    run_case strangers "mckey sends to verbena, 10 messages of 1000 bytes" stranger_to_verbena CmStranger mckey receiver "$HOST_IP" 239.1.1.1 10 1000 -- \
        mckey -m 239.1.1.1 -b "$GUEST_IP" -s -C 10 -S 1000
    run_case strangers "verbena sends to mckey, 10 messages of 1000 bytes" verbena_to_stranger 'grep -q 010101EF /proc/net/igmp' \
        CmStranger mckey sender "$HOST_IP" 239.1.1.1 10 1000 -- mckey -m 239.1.1.1 -b "$GUEST_IP" -C 10 -S 1000
}

# ------------------------------------------------------------------------------------------------------------- IPv6

HOST_IP6=fd77::1 GUEST_IP6=fd77::2
ipv6_up() {
    sysctl -qw "net.ipv6.conf.$GUEST_TAP.disable_ipv6=0" && { ip -6 addr show dev "$GUEST_TAP" | grep -q $HOST_IP6 || ip -6 addr add $HOST_IP6/64 dev "$GUEST_TAP" nodad; } &&
        guest "ip -6 addr show dev eth0 | grep -q $GUEST_IP6 || ip -6 addr add $GUEST_IP6/64 dev eth0 nodad" &&
        gid6=$(guest 'cd /sys/class/infiniband/rxe0/ports/1/gids && grep -l fd77 * | head -n 1')
}

# rdma_cm connects to IPv6 addresses; ibv_*_pingpong and perftest exchange their IPv6 GIDs over IPv4.
ipv6_cases() {
    local family=6 gid=$gid6 device="-d rxe0 -x $gid6" server_at=(-a $HOST_IP6 --exchange "$HOST_IP") client_at=(-a $HOST_IP6) name=IPv6 group=ipv6
    ipv6_pings
    both_pingpongs rc 4096 200
    full && both_pingpongs ud 1024 200
    both_perftests write_bw 65536 100
}

ipv6_pings() {
    local HOST_IP=$HOST_IP6 GUEST_IP=$GUEST_IP6 rping_at=$GUEST_IP6
    both_pings "4096" IPv6
}
