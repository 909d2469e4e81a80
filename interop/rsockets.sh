#!/bin/bash
# Cases with C programs that know nothing of RDMA: under librspreload of librdmacm in the guest, they exchange files with programs of
# java.nio over the provider of Verbena. suite.sh and rxe.sh read it. sockets/StreamPeer.java is the side of Verbena.
#
# Under librspreload of Debian 12, only programs work that make sockets without flags and accept with accept(2): rstream, nc.traditional,
# socat as a client, curl and iperf3 as a client. Those that use accept4(2), such as nc.openbsd, lighttpd and webfsd, do not, and iperf3 -s
# ends with "getsockopt - Operation not supported", between two C programs as well.
share=/mnt/share
preload=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so.1
preloaded="env LD_LIBRARY_PATH=$share/usr/lib/x86_64-linux-gnu:$share/lib/x86_64-linux-gnu LD_PRELOAD=$preload"
programs="${programs:-} rstream nc.traditional socat curl iperf3"
random=$WORK/c-programs/random          # in the guest $share/random

prepare_rsockets() {
    [ -e "$WORK/sockets/StreamPeer.class" ] ||
        "${JAVA%java}javac" -cp "$VERBENA_CLASSES" -d "$WORK/sockets" "$here/sockets/StreamPeer.java"
}

peer() {                # LABEL ARGUMENTS...: the side of Verbena
    local label=$1
    shift
    # shellcheck disable=SC2086 # words
    timeout -k 2 "${peer_limit:-60}" "$JAVA" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED \
        --add-exports=java.base/sun.nio.ch=ALL-UNNAMED -cp "$WORK/sockets:$VERBENA_CLASSES" \
        -Djava.nio.channels.spi.SelectorProvider=io.verbena.sockets.nio.VerbenaSelectorProvider \
        -Dio.verbena.sockets.rdma="$GUEST_IP" -Dio.verbena.sockets.provider="${provider[1]}" -Dio.verbena.sockets.patience=20000 \
        ${sockets_device:+-Dio.verbena.sockets.device=$sockets_device} ${peer_options:-} StreamPeer "$@" \
        >"$dir/$label.out" 2>"$dir/$label.err" </dev/null
}

start_peer() {          # WHAT ARGUMENTS...: a server, ready when this returns
    local what=$1
    shift
    peer server "$what" server "$HOST_IP" "$port" "$@" &
    server=$!
    await_server "StreamPeer $what" err Listening
}

end_peer() {
    wait $server || fail "StreamPeer ended with $?: $(grep -v '^WARNING' "$dir/server.err" | tail -n 5)" "the guest: $(tail -n 3 "$dir/guest.out")"
}

in_guest() {            # COMMAND...: its output in guest.out
    guest "cd /tmp; $*" >"$dir/guest.out" 2>&1 || fail "the guest: $* ended with $?: $(tail -n 3 "$dir/guest.out")"
}

start_server_in_guest() {       # COMMAND...: ready when this returns
    guest "rm -f /tmp/p.*; setsid sh -c 'exec >/tmp/p.log 2>&1; cd /tmp; timeout 60 $*; echo \$? >/tmp/p.rc' >/dev/null 2>&1 </dev/null &
        n=0; until $(listening "$port"); do n=\$((n+1)); [ \$n -lt 100 ] || exit 9; sleep 0.05; done" \
        >"$dir/start.out" 2>&1 || fail "$* does not listen in the guest" "$(guest cat /tmp/p.log)"
}

end_server_in_guest() {
    guest 'n=0; until [ -s /tmp/p.rc ]; do n=$((n+1)); [ $n -lt 200 ] || break; sleep 0.05; done; cat /tmp/p.log; exit $(cat /tmp/p.rc || echo 99)' \
        >"$dir/guest.out" 2>&1 || fail "the server in the guest ended with $?: $(tail -n 3 "$dir/guest.out")"
}

same() {                # FILE
    cmp "$1" "$random" >"$dir/cmp" 2>&1 || fail "another file arrived: $(cat "$dir/cmp")"
}

sockets_wire() { [ "${provider[1]}" != roce ] || packets_right; }

# ------------------------------------------------------------------------------------------------------ kinds of case

rstream_to_verbena() {  # BYTES TRANSFERS ITERATIONS OPTIONS...
    local options="-S $1 -C $2 -I $3"
    shift 3
    start_peer echo
    in_guest "timeout 60 rstream -s $HOST_IP -p $port $options -T v $*"
    end_peer
    sockets_wire
}

verbena_to_rstream() {  # BYTES TRANSFERS ITERATIONS
    start_server_in_guest "rstream -p $port -S $1 -C $2 -I $3"
    peer client rstream client "$GUEST_IP" "$port" "$@" || fail "StreamPeer ended with $?: $(tail -n 3 "$dir/client.err")"
    end_server_in_guest
    sockets_wire
}

files_from_guest() {    # each direction ends by itself
    start_peer exchange "$random" "$dir/received"
    in_guest "timeout 60 $preloaded $share/usr/bin/socat -t 30 - TCP4:$HOST_IP:$port <$share/random >received && cmp received $share/random"
    end_peer
    same "$dir/received"
    sockets_wire
}

files_to_guest() {
    start_server_in_guest "$preloaded $share/bin/nc.traditional -l -p $port <$share/random >received"
    peer client exchange client "$GUEST_IP" "$port" "$random" "$dir/received" || fail "StreamPeer ended with $?: $(tail -n 3 "$dir/client.err")"
    end_server_in_guest
    in_guest "cmp received $share/random"
    same "$dir/received"
    sockets_wire
}

curl_to_verbena() {     # a connection for two requests, and one for a file that is sent there and back
    local curl="timeout 60 $preloaded $share/usr/bin/curl -sSf"
    start_peer web "$random"
    in_guest "$curl -o a http://$HOST_IP:$port/a -o b http://$HOST_IP:$port/b &&
        $curl -H Expect: --data-binary @$share/random -o c http://$HOST_IP:$port/ && for f in a b c; do cmp \$f $share/random || exit; done"
    sockets_wire
}

verbena_to_web() {      # the HTTP client of the JDK
    guest "printf 'HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n' \$(stat -c %s $share/random) | cat - $share/random >/tmp/answer"
    start_server_in_guest "$preloaded $share/bin/nc.traditional -l -p $port <answer"
    peer client fetch client "$GUEST_IP" "$port" 1 "$dir/received" || fail "StreamPeer ended with $?: $(tail -n 3 "$dir/client.err")"
    same "$dir/received"
    sockets_wire
}

# The client is ended by a signal amid its bytes: a reset here, and not the end of a stream. Linux disconnects for it.
killed_client() {
    start_peer survive "$random" "$dir/received"
    guest "setsid sh -c 'echo \$\$ >/tmp/killed.pid; exec $preloaded $share/usr/bin/socat -u - TCP4:$HOST_IP:$port </dev/zero' >/dev/null 2>&1 </dev/null &"
    await_server "a client amid its bytes at StreamPeer" err Amid
    in_guest "kill -KILL \$(cat /tmp/killed.pid) &&
        timeout 60 $preloaded $share/usr/bin/socat -t 30 - TCP4:$HOST_IP:$port <$share/random >received && cmp received $share/random"
    end_peer
    same "$dir/received"
    grep '^lost after' "$dir/server.err" >"$dir/note"
}

start_proxy() {         # LISTEN TARGET
    verbena proxy sockets proxy --listen "$1" --to "$2" "${provider[@]}" ${sockets_device:+--device "$sockets_device"} --json &
    server=$!
    local n=0
    until grep -q 'Listening at' "$dir/proxy.err" 2>/dev/null; do
        n=$((n + 1))
        [ $n -lt 200 ] && kill -0 $server 2>/dev/null || fail "the proxy does not listen: $(tail -n 2 "$dir/proxy.err")"
        sleep 0.1
    done
}

iperf_rate() {          # FILE: Mbit/s at the receiver
    awk '/receiver/ { for (i = 2; i <= NF; i++) if ($i ~ /bits\/sec/) rate = $(i - 1) * ($i ~ /^G/ ? 1000 : $i ~ /^K/ ? 0.001 : 1) } END { print rate }' "$1"
}

iperf_to_verbena() {    # SECONDS
    iperf3 -s -1 --forceflush -B 127.0.0.1 -p $((port + 2000)) >"$dir/iperf.out" 2>&1 &
    local iperf=$!
    start_proxy "rdma:$HOST_IP:$port" "127.0.0.1:$((port + 2000))"
    in_guest "timeout 60 $preloaded $share/usr/bin/iperf3 -c $HOST_IP -p $port -t $1 --forceflush"
    wait $iperf || fail "iperf3 -s ended with $?: $(tail -n 2 "$dir/iperf.out")"
    echo "$(iperf_rate "$dir/iperf.out") Mbit/s" >"$dir/note"
    ended_proxy
}

ended_proxy() {         # iperf3 has two connections, and the proxy must not have used TCP for them
    # shellcheck disable=SC2046 # words
    kill -INT $(pgrep -P "$(pgrep -P $server)") $(pgrep -P $server) 2>/dev/null
    wait $server
    json_has "$dir/proxy.out" accepted 2 && json_has "$dir/proxy.out" plain 0 || fail "not two connections by RDMA: $(cat "$dir/proxy.out")"
}

# The C library on both sides, two programs of the guest: what its processor can do, beside iperf3 against Verbena.
rstream_alone() {
    start_server_in_guest "rstream -p $port -S 65536 -C 100 -I 1"
    in_guest "timeout 60 rstream -s $GUEST_IP -p $port -S 65536 -C 100 -I 1"
    awk '/^custom/ { printf "%.1f Mbit/s in all, both directions in turn\n", $6 * 1000 }' "$dir/guest.out" >"$dir/note"
}

# ----------------------------------------------------------------------------------------------------------- the cases

rsockets_cases() {
    local sockets_device='' seconds=1
    [ "${provider[1]}" != roce ] || sockets_device=$HOST_IP
    prepare_rsockets || { echo "rsockets: StreamPeer.java does not compile" >&2; return; }
    run_case rsockets "rstream against verbena, 5 times 20 messages of 4096 bytes, verified" rstream_to_verbena 4096 20 5
    run_case rsockets "verbena against rstream, 5 times 20 messages of 4096 bytes" verbena_to_rstream 4096 20 5
    run_case rsockets "socat against verbena: a file in each direction, each with its own end" files_from_guest
    run_case rsockets "verbena against nc: a file in each direction" files_to_guest
    run_case rsockets "curl against a web server on the JVM" curl_to_verbena
    run_case rsockets "socat is killed amid its bytes, and comes again" killed_client
    ! full || seconds=5
    run_case rsockets "iperf3 against verbena sockets proxy, $seconds s" iperf_to_verbena $seconds
    full || return 0
    run_case rsockets "rstream against rstream in the guest" rstream_alone
    run_case rsockets "the HTTP client of the JDK against nc" verbena_to_web
    run_case rsockets "rstream with keep-alive against verbena that is silent for 3 s" \
        eval 'peer_options=-Dsilent=3000 rstream_to_verbena 65536 10 2 -k 1'
}
