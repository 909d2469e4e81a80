#!/bin/bash
# The cases against rxe, Linux's RoCEv2 in software. interop/run starts it when the guest is up:
#
#   rxe.sh rxe
#
# common.sh says what is in its environment.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
boot=${1:?rxe}
first_port=18600
provider=(--provider roce)
gid=1 family=4
device="-d rxe0 -x $gid"
programs='ibv_rc_pingpong ibv_uc_pingpong ibv_ud_pingpong ibv_srq_pingpong ucmatose udaddy mckey qperf'
listening() { printf "rdma resource show cm_id | grep -q 'state LISTEN.*:%d '" "$1"; }
. "$here/common.sh"
. "$here/strangers.sh"
. "$here/rsockets.sh"
. "$here/impair.sh"

perftest_captured() { packets_right; }

# The packets on the wire: none malformed for tshark, each with the ICRC that a second implementation computes. Prints the number
# of packets by opcode to the digest.
packets_right() {
    cut_wire
    mkdir -p "$dir/config"
    if ! "$WORK/icrc" "$dir/wire.pcap" >"$dir/icrc" 2>"$dir/icrc.problems"; then
        # A link that corrupts what the guest sends damages only that.
        [ "$corrupts" = 1 ] && ours_are_right ||
            fail "the packets on the wire are not right: $(cat "$dir/icrc")" "$(head -n 5 "$dir/icrc.problems")"
        return 0
    fi
    # A payload is arbitrary: tshark's guesses at upper layers would find faults in it that are none.
    WIRESHARK_CONFIG_DIR=$dir/config XDG_CONFIG_HOME=$dir/config tshark -n -r "$dir/wire.pcap" -Y 'udp.dstport == 4791' \
        --disable-protocol rpcordma --disable-protocol smb_direct \
        -T fields -e ip.src -e ipv6.src -e infiniband.bth.opcode -e _ws.malformed -E separator='|' >"$dir/wire.fields" 2>"$dir/wire.err" ||
        fail "tshark cannot read the capture: $(head -n 2 "$dir/wire.err")"
    grep -q . "$dir/wire.fields" || fail "the wire shows no packet of RoCE"
    ! grep -q '|[^|]*|[^|]*|.' "$dir/wire.fields" || fail "tshark calls packets malformed: $(grep -c '|[^|]*|[^|]*|.' "$dir/wire.fields")"
    sort "$dir/wire.fields" | uniq -c >"$dir/wire.digest"
    [ "$family" = 4 ] || ! grep -q '^[0-9.]*[0-9]|' "$dir/wire.fields" || fail "packets have IPv4 addresses, not only IPv6"
}

# Whether no damaged packet was sent by this side.
ours_are_right() {
    WIRESHARK_CONFIG_DIR=$dir/config XDG_CONFIG_HOME=$dir/config tshark -n -r "$dir/wire.pcap" -Y "udp.dstport == 4791 && ip.src == $HOST_IP" \
        -T fields -e frame.number >"$dir/ours" 2>"$dir/wire.err" || return 1
    awk 'FNR == NR { split($0, word, /[ :]+/); damaged[word[2]]; next } $1 in damaged { bad = 1 } END { exit bad }' "$dir/icrc.problems" "$dir/ours"
}

# ------------------------------------------------------------------------------------------------------ kinds of case

rping_to_verbena() {    # SIZE ROUNDS OPTIONS...
    local size=$1 rounds=$2 rc=0
    shift 2
    start_server -V "$@"
    rping "-S $size -C $rounds -V" || rc=$?
    [ $rc = 0 ] || fail "rping ended with $rc: $(tail -n 2 "$dir/rping.out")" "verbena: $(tail -n 2 "$dir/server.err")"
    if [ "$netem" = 1 ] && farewell_lost; then return; fi
    end_server
    [ $code = 0 ] || fail "verbena ping --server ended with $code: $(tail -n 2 "$dir/server.err")"
    did server "$rounds"
    packets_right
}

# Whether the link has lost what rping says last: the acknowledgement of the last Send, or the DREQ. Linux repeats neither, because
# rping destroys its queue pair and its connection at once. The server then cannot know that rping was content, and reports it.
farewell_lost() {
    cut_wire
    "$WORK/icrc" "$dir/wire.pcap" >"$dir/icrc" 2>"$dir/icrc.problems"
    mkdir -p "$dir/config"
    WIRESHARK_CONFIG_DIR=$dir/config XDG_CONFIG_HOME=$dir/config tshark -n -r "$dir/wire.pcap" -Y 'udp.dstport == 4791' \
        --disable-protocol rpcordma --disable-protocol smb_direct -T fields -E separator='|' \
        -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -e frame.number -e ip.src -e infiniband.bth.opcode -e infiniband.bth.psn \
        -e infiniband.mad.attributeid -e eth.src -e eth.dst -e ip.checksum.status -e udp.checksum.status >"$dir/wire.end" 2>"$dir/wire.err" || return 1
    awk -F'|' -v guest="$GUEST_IP" '
        FNR == NR { split($0, word, /[ :]+/); damaged[word[2]]; next }
        $2 != guest { mac = $6 }                                                # what the ICRC does not cover: the frame, and the checksums
        $2 == guest && mac != "" && $7 != mac || $8 == 0 && $8 != "" || $9 == 0 && $9 != "" { damaged[$1] }
        $2 != guest && $3 == 4 { sent = $4 }                                    # SEND_ONLY
        $2 == guest && !($1 in damaged) && $3 == 17 { acknowledged[$4] }        # ACKNOWLEDGE
        $2 == guest && !($1 in damaged) && $5 == "0x0015" { left = 1 }          # DREQ
        END {
            if (!left) print "rping'"'"'s DREQ was lost on the link"
            else if (sent != "" && !(sent in acknowledged)) print "rping'"'"'s last acknowledgement was lost on the link"
            else exit 1
        }' "$dir/icrc.problems" "$dir/wire.end" >"$dir/note"
}

verbena_to_rping() {    # SIZE ROUNDS OPTIONS...
    local size=$1 rounds=$2 rc=0
    shift 2
    start_rping_server "-S $size -V${rping_at:+ -a $rping_at}"
    verbena client ping "$GUEST_IP" -p "$port" -S "$size" -C "$rounds" -V --json "${provider[@]}" "$@" || rc=$?
    [ $rc = 0 ] || fail "verbena ping ended with $rc: $(tail -n 2 "$dir/client.err")" "rping: $(guest cat /tmp/s.log)"
    did client "$rounds"
    end_rping_server
    packets_right
}

pingpong_to_verbena() { # SERVICE SIZE ROUNDS OPTIONS...: the guest's ibv_*_pingpong is the client
    local service=$1 size=$2 rounds=$3 rc=0 n=0
    shift 3
    verbena server pingpong "$service" "${server_at[@]}" -p "$port" -s "$size" -n "$rounds" --json "$@" &
    server=$!
    until ss -Hltn "sport = :$port" | grep -q .; do
        kill -0 $server 2>/dev/null || fail "verbena pingpong ended early: $(tail -n 1 "$dir/server.err")"
        n=$((n + 1))
        [ $n -lt 200 ] || fail "verbena pingpong does not listen after 20 s"
        sleep 0.1
    done
    guest "timeout 60 ibv_${service}_pingpong -d rxe0 -g $gid -p $port -s $size -n $rounds $(guest_options "$service") $* $HOST_IP" >"$dir/guest.out" 2>&1 || rc=$?
    [ $rc = 0 ] || fail "ibv_${service}_pingpong ended with $rc: $(tail -n 2 "$dir/guest.out")" "verbena: $(tail -n 2 "$dir/server.err")"
    wait $server || fail "verbena pingpong ended with $?: $(tail -n 2 "$dir/server.err")"
    json_has "$dir/server.out" ok true || fail "verbena does not say that all is well: $(cat "$dir/server.out")"
    packets_right
}

verbena_to_pingpong() { # SERVICE SIZE ROUNDS OPTIONS...: the guest's ibv_*_pingpong is the server
    local service=$1 size=$2 rounds=$3 rc=0 hex
    shift 3
    hex=$(printf '%04X' "$port")
    guest "rm -f /tmp/p.*; setsid sh -c 'ibv_${service}_pingpong -d rxe0 -g $gid -p $port -s $size -n $rounds $(guest_options "$service") $* >/tmp/p.log 2>&1; echo \$? >/tmp/p.rc' >/dev/null 2>&1 </dev/null &
        n=0; until grep -qi ':$hex .*:0000 0A' /proc/net/tcp /proc/net/tcp6; do n=\$((n+1)); [ \$n -lt 100 ] || exit 9; sleep 0.05; done" \
        >"$dir/start.out" 2>&1 || fail "ibv_${service}_pingpong does not listen in the guest" "$(guest cat /tmp/p.log)"
    verbena client pingpong "$service" "$GUEST_IP" "${client_at[@]}" -p "$port" -s "$size" -n "$rounds" --json "$@" || rc=$?
    [ $rc = 0 ] || fail "verbena pingpong ended with $rc: $(tail -n 2 "$dir/client.err")" "the guest: $(guest cat /tmp/p.log)"
    json_has "$dir/client.out" ok true || fail "verbena does not say that all is well: $(cat "$dir/client.out")"
    guest 'n=0; until [ -s /tmp/p.rc ]; do n=$((n+1)); [ $n -lt 100 ] || break; sleep 0.05; done; cat /tmp/p.log; exit $(cat /tmp/p.rc || echo 99)' >"$dir/guest.out" 2>&1 ||
        fail "ibv_${service}_pingpong ended with $?: $(tail -n 2 "$dir/guest.out")"
    packets_right
}

guest_options() {       # the path MTU of rxe on a link of 1500 bytes; a datagram has none to choose
    [ "$1" = ud ] || echo "-m 1024"
}

netem=0 corrupts=0
disturb() {             # the options of netem; none for a clean link. Applies to what the guest sends.
    netem=0 corrupts=0
    case " $* " in *" corrupt "*) corrupts=1;; esac
    guest 'tc qdisc del dev eth0 root' >/dev/null 2>&1
    [ $# = 0 ] || { guest "tc qdisc add dev eth0 root netem limit 10000 $*" >/dev/null && netem=1; } ||
        echo "rxe: the guest has no netem for $*" >&2
}

# ----------------------------------------------------------------------------------------------------------- the cases

both_pings() {          # "SIZES" "NAME" OPTIONS...
    local sizes=$1 name=$2 group=${group:-rc} size n
    shift 2
    for size in $sizes; do
        n=$(rounds "$size")
        run_case "$group" "rping against verbena${name:+, $name}, $n rounds of $size bytes" rping_to_verbena "$size" "$n" "$@"
        run_case "$group" "verbena against rping${name:+, $name}, $n rounds of $size bytes" verbena_to_rping "$size" "$n" "$@"
    done
}

both_pingpongs() {      # SERVICE SIZE ROUNDS OPTIONS...
    run_case "${group:-pingpong}" "ibv_$1_pingpong against verbena${name:+, $name}, $3 messages of $2 bytes" pingpong_to_verbena "$@"
    run_case "${group:-pingpong}" "verbena against ibv_$1_pingpong${name:+, $name}, $3 messages of $2 bytes" verbena_to_pingpong "$@"
}

lossy() {               # NAME ROUNDS-OF-rping
    run_case lossy "rping against verbena, $1, $2 rounds of 4096 bytes" rping_to_verbena 4096 "$2"
    run_case lossy "verbena against rping, $1, 120 rounds of 4096 bytes" verbena_to_rping 4096 120
}

rxe_cases() {
    local op name=
    if full; then both_pings "64 1001 4096 65535" ""; else both_pings "64 65535" ""; fi
    both_pings "4096" inline --inline
    both_pingpongs rc 4096 200
    full && both_pingpongs rc 65536 50 -c
    both_pingpongs uc 4096 200
    both_pingpongs ud 1024 200
    both_pingpongs srq 4096 200

    both_perftests write_bw 65536 100
    both_perftests send_lat 64 200
    both_perftests atomic_bw 8 200
    both_perftests write_lat 64 200 -R
    both_perftests send_bw 1024 200 -c UD
    stranger_cases
    rsockets_cases
    ipv6_cases
    both_perftests read_bw 16384 100
    both_perftests send_lat 64 200 -c UC
    if full; then
        both_perftests read_bw 16384 100 -R
        both_perftests send_bw 16384 100 -R
        both_perftests atomic_lat 8 200 -R
        both_perftests atomic_bw 8 200 -A CMP_AND_SWAP
        both_perftests send_lat 64 200 -c UD
        for op in write_bw send_bw; do both_perftests $op 16384 100 -c UC; done
        both_perftests write_lat 64 200 -c UC
        both_perftests send_bw 16384 100
        for op in write_lat read_lat; do both_perftests $op 64 200; done
    fi

    # rxe waits for its timers, up to 2 s with rdma_cm, when a packet that it sends is lost or early.
    disturb loss 2%
    lossy "2 % lost" 30
    group=lossy name="2 % lost" both_perftests write_bw 65536 50
    group=lossy name="2 % lost" both_pingpongs rc 4096 100
    disturb delay 2ms 1ms reorder 20%
    lossy reordered 30
    disturb duplicate 5% corrupt 2%
    lossy "duplicated and corrupted" 30
    disturb

    # What the guest sends is captured before the forwarder damages it, so every packet of the capture has a correct ICRC.
    impaired "lost, doubled and damaged" impaired_cases "lost duplicated corrupted delayed" \
        -r 'proto==roce loss 2% duplicate 2% delay 200us' -r 'proto==roce from==a corrupt 2%'
}

impaired_cases() {      # rxe supports ECN only where its programs ask for it; the connections of verbena ping do
    both_pingpongs rc 4096 100
    run_case impaired "verbena against rping, $name, 120 rounds of 4096 bytes" verbena_to_rping 4096 120
}

put_rping_in_guest && put_heartbeat_in_guest && compile_strangers && ipv6_up || exit 1
guest 'dmesg -c' >"$WORK/$boot.dmesg" 2>&1
rxe_cases
exit 0
