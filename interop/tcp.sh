#!/bin/bash
# The TCP of Verbena against strangers: the TCP of this system's kernel through TUN and TAP devices, with tshark and the kernel's
# counters as referees, and lwIP over a Unix socket. interop/run starts it in namespaces of its own:
#
#   tcp.sh tcp
#
# In its environment: WORK (a folder), VERBENA (the command), VERBENA_CLASSES (its class path), JAVA (the program), QUICK (0 or 1), ONLY
# (run only cases whose name matches this). Every case adds a line to $WORK/results: ok or FAILED, seconds, group, name.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
boot=${1:?tcp}
group=tcp
number=0
system=10.77.0.1 own=10.77.0.2

fail() {        # ends the case
    printf '%s\n' "$@" >>"$dir/why"
    exit 1
}

full() { [ "$QUICK" = 0 ]; }

result() {      # OUTCOME SECONDS NAME NOTE
    printf '%-6s %5s s  %s: %s%s\n' "$1" "$2" "$group" "$3" "${4:+ ($4)}"
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$group" "$3" >>"$WORK/results"
}

run_case() {    # NAME COMMAND...
    local name=$1 started outcome seconds
    shift
    number=$((number + 1))
    if [ -n "${ONLY:-}" ] && ! grep -qiE -- "$ONLY" <<<"$boot $group: $name"; then return; fi
    dir=$WORK/$boot/$(printf '%02d' "$number")
    mkdir -p "$dir"
    started=${EPOCHREALTIME/./}
    if ("$@") 2>"$dir/shell.err"; then outcome=ok; else outcome=FAILED; fi
    seconds=$(awk -v us=$((${EPOCHREALTIME/./} - started)) 'BEGIN { printf "%.1f", us / 1e6 }')
    result $outcome "$seconds" "$name"
    [ $outcome = ok ] || cat "$dir/why" "$dir/shell.err" 2>/dev/null | sed 's/^/                  /'
}

# One JVM runs many small cases; each of them is a case of the suite.
small_cases() { # COUNT "WHAT" CLASS ARGUMENTS...
    local wanted=$1 what=$2 outcome seconds name note seen=0
    shift 2
    timeout -k 2 150 "$JAVA" -XX:TieredStopAtLevel=1 -Ddevice=verbena0 --enable-native-access=ALL-UNNAMED \
        -cp "$WORK/$boot:$VERBENA_CLASSES" "$@" >"$dir/strangers.out" 2>"$dir/strangers.err" </dev/null
    while IFS=$'\t' read -r outcome seconds name note; do
        seen=$((seen + 1))
        result "$outcome" "$seconds" "$what, $name" "$note"
    done <"$dir/strangers.out"
    [ $seen = "$wanted" ] || fail "$seen of $wanted cases ran: $(tail -n 5 "$dir/strangers.err")"
    ! grep -q '^FAILED' "$dir/strangers.out" || fail "$(grep -v '^WARNING' "$dir/strangers.err" | head -n 12)"
}

strangers() {   # KIND FAULTS "WHAT" CASES...: the TCP of the system
    local kind=$1 faults=$2 what=$3
    shift 3
    small_cases $# "$what" TcpStranger "$kind" verbena0 $system $own "$faults" "$@"
}

lwip() {        # THEIR-ADDRESS OUR-ADDRESS/BITS FAULTS "WHAT" CASES...: lwIP over a Unix socket
    local theirs=$1 ours=$2 faults=$3 what=$4
    shift 4
    [ -x "$WORK/$boot/lwip" ] || gcc-12 -O2 -I/usr/include/lwip -o "$WORK/$boot/lwip" "$here/strangers/lwip.c" -llwip -lpthread 2>"$dir/gcc.err" ||
        fail "gcc-12 cannot compile lwip.c: $(head -n 3 "$dir/gcc.err")"
    small_cases $# "$what" LwipStranger "$WORK/$boot/lwip" "$dir/s" "$theirs" "$ours" "$faults" "$@"
}

device() {      # KIND: a new one, with the address $system
    ip link delete verbena0 2>/dev/null
    case $1 in
        packet) # a wire: one end is the system's, the other one has no address
            ip link add verbena0 type veth peer name wire0 && ip link set verbena0 up && ip link set wire0 up &&
                ip address add "$system/24" dev wire0 2>"$dir/up.err" || fail "ip link add fails: $(cat "$dir/up.err")";;
        *)
            "$VERBENA" net up --kind "$1" --address "$system/${bits:-24}" >"$dir/up.out" 2>"$dir/up.err" </dev/null ||
                fail "verbena net up fails: $(cat "$dir/up.err")";;
    esac
}

counter() {     # NAME: of the kernel's TCP
    nstat -asz "$1" 2>/dev/null | awk -v name="$1" '$1 == name { print $2 }'
}

counters_are_zero() {
    local name value
    for name in "$@"; do
        value=$(counter "$name")
        [ "${value:-none}" = 0 ] || fail "the kernel's counter $name is ${value:-missing}, not 0"
    done
}

# ------------------------------------------------------------------------------------------------------ the cases

clean() {       # KIND: large segments, nothing is lost
    local size=64
    full || size=24
    device "$1"
    strangers "$1" none "$1" out:$size in:$size both:$size served:$size half-close reset-by-system reset-by-us refused-by-system \
        refused-by-us system-stops we-stop latency:500 short-out:1000 short-in:1000 removed
    counters_are_zero TcpInErrs TcpInCsumErrors TcpExtTCPSACKReneging TcpExtPAWSEstab TcpExtTCPRcvQDrop
}

# The same with IPv6.
ipv6() {        # KIND CASES...
    local system=fd77::1 own=fd77::2 bits=64 kind=$1
    shift
    device "$kind"
    strangers "$kind" none "$kind, IPv6" "$@"
    counters_are_zero TcpInErrs TcpInCsumErrors TcpExtTCPSACKReneging TcpExtPAWSEstab TcpExtTCPRcvQDrop
}

ipv6_bad_path() {   # KIND "FAULTS" "WHAT"
    local system=fd77::1 own=fd77::2 bits=64
    bad_path "$@"
}

# A station of our own on a veth pair, whose other end is that of the system.
packet_socket() {
    local system=10.78.0.1 own=10.78.0.2
    device packet
    strangers packet none "packet socket" out:8 in:16 both:8 half-close reset-by-system refused-by-us short-out:40 short-in:60 removed
    counters_are_zero TcpInErrs TcpInCsumErrors TcpExtTCPSACKReneging
}

bad_path() {    # KIND "FAULTS" "WHAT"
    device "$1"
    strangers "$1" "$2" "$1, $3" out:2 in:2 both:1 served:1 half-close reset-by-system short-out:20 short-in:20
    counters_are_zero TcpExtTCPSACKReneging
}

no_host() {     # nothing answers ARP
    device tap
    strangers tap none tap no-host
}

# Packets of the MTU on a clean link, dissected: no wrong checksum, nothing malformed, nothing that a TCP must not do.
judged_ipv6() {
    local system=fd77::1 own=fd77::2 bits=64
    judged "IPv6, judged by tshark" ipv6.src
}

judged() {      # "WHAT" SOURCE-FIELD
    local sniffer n=0 complaints what=$1 source=$2
    device tap
    mkdir -p "$dir/config"
    export WIRESHARK_CONFIG_DIR=$dir/config XDG_CONFIG_HOME=$dir/config
    tshark -q -i verbena0 -B 64 -w "$dir/wire.pcapng" -f tcp 2>"$dir/tshark.err" &
    sniffer=$!
    until [ -s "$dir/wire.pcapng" ]; do
        n=$((n + 1))
        [ $n -lt 200 ] || fail "tshark does not capture: $(cat "$dir/tshark.err")"
        sleep 0.05
    done
    strangers tap small "$what" out:4 in:4 half-close we-stop reset-by-us short-in:50 short-out:50
    sleep 0.3
    kill -INT $sniffer
    wait $sniffer
    tshark -n -o tcp.check_checksum:TRUE -o ip.check_checksum:TRUE -r "$dir/wire.pcapng" -Y "_ws.malformed || tcp.checksum.status == 0 \
        || ip.checksum.status == 0 || tcp.analysis.ack_lost_segment || tcp.options.type.invalid \
        || ($source == $own && (tcp.analysis.out_of_order || tcp.analysis.lost_segment))" >"$dir/complaints" 2>>"$dir/tshark.err"
    complaints=$(wc -l <"$dir/complaints")
    [ "$complaints" = 0 ] || fail "tshark complains about $complaints packets:" "$(head -n 5 "$dir/complaints")"
    [ "$(tshark -n -r "$dir/wire.pcapng" -Y "$source == $own && tcp.len > 0" 2>/dev/null | wc -l)" -gt 2000 ] || fail "the capture is incomplete"
}

rdma_from_system() {    # KIND OPTIONS...: RDMA, Verbena's TCP is the server
    local kind=$1 n=0 server
    shift
    device "$kind"
    "$VERBENA" ping --server --tcp "$kind" -a $own --json "$@" >"$dir/server.out" 2>"$dir/server.err" </dev/null &
    server=$!
    until grep -q 'Listening at' "$dir/server.err"; do
        kill -0 $server 2>/dev/null || fail "verbena ping --server ended early: $(tail -n 1 "$dir/server.err")"
        n=$((n + 1))
        [ $n -lt 400 ] || fail "verbena ping --server does not listen after 20 s"
        sleep 0.05
    done
    timeout 60 "$VERBENA" ping $own -S 65535 -C 50 -V --json "$@" >"$dir/client.out" 2>"$dir/client.err" </dev/null ||
        fail "verbena ping: $(tail -n 2 "$dir/client.err")" "server: $(tail -n 2 "$dir/server.err")"
    wait $server || fail "the server ended with $?: $(tail -n 2 "$dir/server.err")"
    grep -q '"ok":true' "$dir/client.out" || fail "$(cat "$dir/client.out")"
}

rdma_to_system() {      # KIND OPTIONS...: RDMA, Verbena's TCP is the client
    local kind=$1 n=0 server
    shift
    device "$kind"
    "$VERBENA" ping --server -a $system --json "$@" >"$dir/server.out" 2>"$dir/server.err" </dev/null &
    server=$!
    until grep -q 'Listening at' "$dir/server.err"; do
        kill -0 $server 2>/dev/null || fail "verbena ping --server ended early: $(tail -n 1 "$dir/server.err")"
        n=$((n + 1))
        [ $n -lt 400 ] || fail "verbena ping --server does not listen after 20 s"
        sleep 0.05
    done
    timeout 60 "$VERBENA" ping $system --tcp "$kind" -S 65535 -C 50 -V --json "$@" >"$dir/client.out" 2>"$dir/client.err" </dev/null ||
        fail "verbena ping: $(tail -n 2 "$dir/client.err")" "server: $(tail -n 2 "$dir/server.err")"
    wait $server || fail "the server ended with $?: $(tail -n 2 "$dir/server.err")"
    grep -q '"ok":true' "$dir/client.out" || fail "$(cat "$dir/client.out")"
}

# Two Verbenas over one Unix socket, with IPv6; tshark judges what each has captured.
unix_socket() {
    local n=0 server end
    "$VERBENA" ping --server --tcp qemu --device "listen:$dir/s" -a fd79::1 --tcp-address fd79::1/64 --crc \
        --capture "$dir/server.pcapng" >"$dir/server.out" 2>"$dir/server.err" </dev/null &
    server=$!
    until grep -q 'Listening at' "$dir/server.err"; do
        kill -0 $server 2>/dev/null || fail "verbena ping --server ended early: $(tail -n 1 "$dir/server.err")"
        n=$((n + 1))
        [ $n -lt 400 ] || fail "verbena ping --server does not listen after 20 s"
        sleep 0.05
    done
    timeout 60 "$VERBENA" ping fd79::1 --tcp qemu --device "$dir/s" --tcp-address fd79::2/64 -S 65535 -C 50 -V --crc \
        --capture "$dir/client.pcapng" >"$dir/client.out" 2>"$dir/client.err" </dev/null ||
        fail "verbena ping: $(tail -n 2 "$dir/client.err")" "server: $(tail -n 2 "$dir/server.err")"
    wait $server || fail "the server ended with $?: $(tail -n 2 "$dir/server.err")"
    for end in client server; do
        tshark -n -o tcp.check_checksum:TRUE -r "$dir/$end.pcapng" -Y "_ws.malformed || tcp.checksum.status == 0 \
            || icmpv6.checksum.status == 0 || tcp.analysis.ack_lost_segment" >"$dir/$end.complaints" 2>>"$dir/tshark.err"
        [ ! -s "$dir/$end.complaints" ] || fail "tshark complains about the capture of the $end:" "$(head -n 5 "$dir/$end.complaints")"
        [ "$(tshark -n -r "$dir/$end.pcapng" -Y "tcp.len > 0" 2>/dev/null | wc -l)" -gt 2000 ] || fail "the capture of the $end is incomplete"
    done
}

says() {        # PATTERN COMMAND...: it fails with this sentence
    local pattern=$1 rc=0
    shift
    timeout 30 "$@" >"$dir/says.out" 2>"$dir/says.err" </dev/null || rc=$?
    [ $rc = 1 ] || fail "$* ended with $rc, not with 1"
    tail -n 1 "$dir/says.err" | grep -qE -- "$pattern" || fail "$* says: $(tail -n 1 "$dir/says.err")"
}

sentences() {
    ip link delete verbena0 2>/dev/null
    says "no network device 'verbena0'.*verbena net up" "$VERBENA" ping $system --tcp tun
    device tun
    says "not a TAP device" "$VERBENA" ping $system --tcp tap
    ip link set verbena0 down
    says "verbena0 is down.*ip link set" "$VERBENA" ping $system --tcp tun
    full || return 0
    says "failed with exit code|busy" "$VERBENA" net up
    ip link set verbena0 up
    "$VERBENA" net down >/dev/null 2>"$dir/down.err" || fail "verbena net down: $(cat "$dir/down.err")"
    ! ip link show verbena0 >/dev/null 2>&1 || fail "the device is still there"
}

mkdir -p "$WORK/$boot"
"${JAVA%java}javac" -proc:none -d "$WORK/$boot" -cp "$VERBENA_CLASSES" "$here/TcpStranger.java" "$here/TcpPeers.java" "$here/LwipStranger.java" || exit 1
run_case "TUN, large segments" clean tun
run_case "TAP, large segments" clean tap
run_case "TUN, IPv6" ipv6 tun out:16 in:16 both:16 half-close reset-by-system reset-by-us refused-by-us short-out:100 short-in:100
run_case "TAP, IPv6" ipv6 tap out:16 in:16 half-close refused-by-system short-in:60 removed
run_case "packet socket on a veth pair" packet_socket
# The kernel counts errors from here on.
run_case "TUN, lost, duplicated, corrupted and late packets" bad_path tun 50,100,200,20,2000 "bad path"
full && run_case "TAP, IPv6, 5 % lost and 20 % late" ipv6_bad_path tap 20,0,0,5,1000 "lost and late"
full && run_case "no host answers" no_host # two minutes
run_case "tshark finds nothing wrong" judged "judged by tshark" ip.src
run_case "tshark finds nothing wrong with IPv6" judged_ipv6
run_case "RDMA from the system's TCP, TUN" rdma_from_system tun --crc
run_case "RDMA to the system's TCP, TAP" rdma_to_system tap
run_case "lwIP" lwip 10.79.0.2 10.79.0.1/24 none "lwIP" out:4000 in:4000 both:2000 served:2000 half-close reset-by-lwip reset-by-us \
    refused-by-lwip refused-by-us lwip-stops we-stop short-out:1000 short-in:1000 restarted
run_case "lwIP, IPv6" lwip fd79::2 fd79::1/64 none "lwIP, IPv6" out:2000 in:2000 both:1000 half-close reset-by-lwip refused-by-us short-out:60 short-in:60
# The timeouts of lwIP are multiples of half a second, 3 s at first.
run_case "lwIP, lost, duplicated, corrupted and late packets" lwip 10.79.0.2 10.79.0.1/24 60,100,200,20,2000 "lwIP, bad path" out:400 in:60 reset-by-lwip short-out:10
run_case "two Verbenas over a Unix socket, captured" unix_socket
run_case "what is missing is said" sentences
exit 0
