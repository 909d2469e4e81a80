#!/bin/bash
# What the cases of all parts of the suite are made of; suite.sh and rxe.sh read it. In its environment:
#
#   WORK (a folder), VERBENA (the command), VERBENA_CLASSES (its class path), JAVA (the program), QUICK (0 or 1),
#   ONLY (run only cases whose name matches this), and from run-guest.sh GUEST_IP, HOST_IP, GUEST_EXEC, GUEST_PCAP
#
# and from the script that reads it: boot (the part), first_port, and listening PORT, which prints a command for the guest that
# succeeds once a program there listens at the port. Every case adds a line to $WORK/results: ok or FAILED, seconds, group, name.
number=0
perftests='ib_write_bw ib_read_bw ib_send_bw ib_atomic_bw ib_write_lat ib_read_lat ib_send_lat ib_atomic_lat'
server_at=(-a "$HOST_IP") client_at=()      # addresses of programs that exchange theirs over TCP
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

await_server() {        # NAME out|err PATTERN: until the program $server has printed a line of the pattern
    local n=0
    until grep -q "$3" "$dir/server.$2" 2>/dev/null; do
        kill -0 $server 2>/dev/null || fail "$1 ended early: $(tail -n 3 "$dir/server.err")"
        n=$((n + 1))
        [ $n -lt 400 ] || fail "$1 is not ready after 20 s"
        sleep 0.05
    done
}

start_server() {        # verbena ping --server in the background, ready when this returns
    verbena server ping --server -a "$HOST_IP" -p "$port" --json "${provider[@]}" "$@" &
    server=$!
    await_server "verbena ping --server" err 'Listening at'
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
    guest "rm -f /tmp/s.*; setsid sh -c 'sh /tmp/rping /tmp/s.log -s -p $port $*; echo \$? >/tmp/s.rc' >/dev/null 2>&1 </dev/null &
        n=0; until $(listening "$port"); do n=\$((n+1)); [ \$n -lt 100 ] || exit 9; sleep 0.05; done" \
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

sentence() {            # LABEL PATTERN: $program (default verbena ping) reports the error in one sentence
    local line program=${program:-verbena ping}
    line=$(tail -n 1 "$dir/$1.err")
    [ -n "$line" ] || fail "verbena printed nothing on standard error"
    ! grep -qE '^[[:space:]]+at [a-z]|should not happen' "$dir/$1.err" || fail "not a sentence for people:" "$(tail -n 5 "$dir/$1.err")"
    case $line in "$program: "[A-Z0-9]*[.!?]) ;; *) fail "not a sentence for people: $line";; esac
    grep -qiE -- "$2" <<<"$line" || fail "the sentence does not contain $2: $line"
    printf '%s\n' "${line#"$program: "}" >"$dir/note"
}

# ---------------------------------------------------------------------------------------------------------- perftest

# Options of both sides follow the number of messages: -R, -c SERVICE, -A TYPE. $device names the guest's device, $provider Verbena's;
# perftest_captured checks the capture.
perftest_to_verbena() { # OP SIZE MESSAGES OPTIONS...: the guest's ib_OP is the client
    local op=$1 size=$2 messages=$3 rc=0
    shift 3
    verbena server perftest "$op" "${server_at[@]}" -p "$port" -s "$size" -n "$messages" --timeout 30 --json "${provider[@]}" "$@" &
    server=$!
    await_server "verbena perftest" err 'Listening at'
    guest "timeout 60 ib_$op $(perftest_options "$size" "$messages" "$@") $HOST_IP" >"$dir/guest.out" 2>&1 || rc=$?
    [ $rc = 0 ] || fail "ib_$op ended with $rc: $(tail -n 2 "$dir/guest.out")" "verbena: $(tail -n 2 "$dir/server.err")"
    wait $server || fail "verbena perftest ended with $?: $(tail -n 2 "$dir/server.err")"
    json_has "$dir/server.out" ok true || fail "verbena does not say that all is well: $(cat "$dir/server.out")"
    perftest_captured
}

verbena_to_perftest() { # OP SIZE MESSAGES OPTIONS...: the guest's ib_OP is the server
    local op=$1 size=$2 messages=$3 rc=0 ready
    shift 3
    ready=$(printf "grep -qi ':%04X .*:0000 0A' /proc/net/tcp /proc/net/tcp6" "$port")
    case " $* " in *" -R "*) ready=$(listening "$port");; esac
    guest "rm -f /tmp/p.*; setsid sh -c 'ib_$op $(perftest_options "$size" "$messages" "$@") >/tmp/p.log 2>&1; echo \$? >/tmp/p.rc' >/dev/null 2>&1 </dev/null &
        n=0; until $ready; do n=\$((n+1)); [ \$n -lt 100 ] || exit 9; sleep 0.05; done" \
        >"$dir/start.out" 2>&1 || fail "ib_$op does not listen in the guest" "$(guest cat /tmp/p.log)"
    verbena client perftest "$op" "$GUEST_IP" "${client_at[@]}" -p "$port" -s "$size" -n "$messages" --timeout 30 --json "${provider[@]}" "$@" || rc=$?
    [ $rc = 0 ] || fail "verbena perftest ended with $rc: $(tail -n 2 "$dir/client.err")" "the guest: $(guest cat /tmp/p.log)"
    json_has "$dir/client.out" ok true || fail "verbena does not say that all is well: $(cat "$dir/client.out")"
    guest 'n=0; until [ -s /tmp/p.rc ]; do n=$((n+1)); [ $n -lt 100 ] || break; sleep 0.05; done; cat /tmp/p.log; exit $(cat /tmp/p.rc || echo 99)' >"$dir/guest.out" 2>&1 ||
        fail "ib_$op ended with $?: $(tail -n 2 "$dir/guest.out")"
    perftest_captured
}

# An atomic has 8 bytes, so ib_atomic_* have no -s. A datagram has no path MTU to choose either.
perftest_options() {    # SIZE MESSAGES OPTIONS...
    local size=$1 messages=$2
    shift 2
    case $op in atomic_*) size=;; *) size="-s $size";; esac
    echo "$device $size -m 1024 -F -p $port -n $messages $*"
}

both_perftests() {      # OP SIZE MESSAGES OPTIONS...
    local what="${4:+ ${*:4}}${name:+, $name}, $3 messages of $2 bytes"
    run_case "${group:-perftest}" "ib_$1 against verbena$what" perftest_to_verbena "$@"
    run_case "${group:-perftest}" "verbena against ib_$1$what" verbena_to_perftest "$@"
}

# ----------------------------------------------------------------------------------------------------- running a case

# The machine of the guest is emulated, and can be without a processor for seconds: its peers then time out, as they should. Notes
# each pause of 4 s and more; leave_case collects the notes.
put_heartbeat_in_guest() {
    guest 'cat >/tmp/heartbeat <<"END"
read -r last _ </proc/uptime
while sleep 1; do
    read -r now _ </proc/uptime
    [ $((${now%%.*} - ${last%%.*})) -lt 5 ] || echo "stall: the guest stood still for $((${now%%.*} - ${last%%.*} - 1)) s" >>/tmp/stalls
    last=$now
done
END
setsid sh /tmp/heartbeat >/dev/null 2>&1 </dev/null &'
}

# A kernel that crashed is booted again: the suite exits with status 77, is called again, and skips completed cases.
# A case that failed while the guest stood still is repeated once, and reported as repeated.
run_case() {            # GROUP NAME KIND ARGUMENTS...
    local group=$1 name=$2 started outcome seconds repeated=
    shift 2
    number=$((number + 1))
    [ $number -gt "$done_before" ] || return
    if [ -n "${ONLY:-}" ] && ! grep -qiE -- "$ONLY" <<<"$boot $group: $name"; then return; fi
    port=$((first_port + number))
    try "$@"
    if [ $outcome = FAILED ] && grep -q '^stall:' "$dir/dmesg"; then
        repeated=", repeated, because $(sed -n 's/^stall: //p' "$dir/dmesg" | head -n 1)"
        mv "$dir" "$dir.first"
        port=$((port + 500))
        try "$@"
    fi
    printf '%-6s %5s s  %s: %s\n' "$outcome" "$seconds" "$group" "$name$repeated"
    [ ! -s "$dir/note" ] || sed 's/^/                  /' "$dir/note"
    if [ $outcome = FAILED ]; then
        {
            echo "FAILED: $group: $name"
            cat "$dir/why" "$dir/shell.err" 2>/dev/null | sed 's/^/                  /'
            grep -v 'speed is unknown\|iwpm_register_pid' "$dir/dmesg" | grep -v '^$' | tail -n 5 | sed 's/^/                  guest: /'
        } >"$dir/report"
        tail -n +2 "$dir/report"
        cat "$dir/report" >>"$WORK/failures"
    fi
    printf '%s\t%s\t%s\t%s\n' "$outcome" "$seconds" "$group" "$name$repeated" >>"$WORK/results"
    echo "$number" >"$WORK/$boot.done"
    if [ -e "$WORK/reboot" ]; then
        rm "$WORK/reboot"
        echo "                  the guest's kernel $(grep -o 'BUG:.*\|Oops.*' "$dir/dmesg" | head -n 1 | grep . || echo 'does not answer any more'); it is booted again"
        exit 77
    fi
}

try() {                 # runs a case once: $dir, $outcome, $seconds
    dir=$WORK/$boot/$(printf '%02d' "$number")
    mkdir -p "$dir"
    echo "$group: $name" >"$dir/name"
    from=$(stat -c %s "$GUEST_PCAP")
    started=${EPOCHREALTIME/./}
    if (trap leave_case EXIT; "$@") 2>"$dir/shell.err"; then outcome=ok; else outcome=FAILED; fi
    seconds=$(awk -v us=$((${EPOCHREALTIME/./} - started)) 'BEGIN { printf "%.1f", us / 1e6 }')
}

end_tree() {            # a process and all that it started
    local child
    for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do end_tree "$child"; done
    kill -KILL "$1" 2>/dev/null
}

stacks() {              # of the JVMs of a case that failed: where one stands that has not ended, and what all programs have said
    local pid
    for pid in $(pgrep -x java); do
        timeout 20 "${JAVA%/*}/jstack" "$pid" >"$dir/stacks.$pid" 2>&1
        kill -INT "$pid"        # a server prints its figures
    done
    sleep 1
    tail -qn 12 "$dir/guest.out" "$dir"/{proxy,iperf,server}.{out,err} 2>/dev/null | head -n 40 >&2
    awk '/^"/ { thread = $1 } /io\.verbena/ { print thread, $2, $3 }' "$dir"/stacks.* 2>/dev/null | head -n 40 >&2
    last_frames >&2
}

last_frames() {         # of a case that failed: what was on the wire at its end, and how many frames there were of each kind
    cut_wire
    mkdir -p "$dir/config"
    WIRESHARK_CONFIG_DIR=$dir/config XDG_CONFIG_HOME=$dir/config tshark -n -r "$dir/wire.pcap" -Y 'tcp or infiniband' -t r \
        --disable-protocol rpcordma --disable-protocol smb_direct -T fields -E separator=' ' -e frame.time_relative -e ip.src -e frame.len \
        -e infiniband.bth.opcode -e infiniband.bth.destqp -e infiniband.bth.psn -e infiniband.mad.attributeid \
        -e tcp.srcport -e tcp.dstport -e tcp.flags.str -e tcp.len >"$dir/frames" 2>/dev/null
    echo "$(wc -l <"$dir/frames") frames, the first and the last ones (time, source, bytes, opcode, queue pair, PSN, MAD; or ports, flags, bytes):"
    head -n 12 "$dir/frames"
    echo ...
    tail -n 24 "$dir/frames"
}

leave_case() {          # ends all processes of a case, here and in the guest; keeps the kernel log of the guest
    local rc=$? job
    [ $rc = 0 ] || stacks
    for job in $(jobs -p); do end_tree "$job"; done
    wait 2>/dev/null
    guest_limit=10 guest "exec 2>/dev/null; killall -9 rping $perftests ${programs:-}; [ ! -e /tmp/nc.pid ] || kill -9 \$(cat /tmp/nc.pid); rm -f /tmp/nc.pid; dmesg -c; cat /tmp/stalls && rm /tmp/stalls; :" >"$dir/dmesg" 2>/dev/null || : >"$WORK/reboot"
    ! grep -q 'BUG:\|Oops' "$dir/dmesg" || : >"$WORK/reboot"
    exit $rc
}

# Rounds by size, for a peer that runs about fifty times slower than its host.
rounds() {
    local n
    case $1 in
        64) n=400;; 999 | 1001) n=200;; 4096) n=120;; *) n=40;;
    esac
    [ "$QUICK" = 0 ] || n=$((n / 10))
    echo $n
}
full() { [ "$QUICK" = 0 ]; }
