#!/bin/bash
# The cases of a simulated fabric: OpenSM and infiniband-diags on `verbena fabric serve`, ibdmchk on routes. interop/run starts it in
# namespaces of its own:
#
#   fabric.sh fabric
#
# In its environment: WORK (a folder), VERBENA (the command), QUICK (0 or 1), ONLY (run only cases whose name matches this). Every case
# adds a line to $WORK/results: ok or FAILED, seconds, group, name.
set -uo pipefail
export LC_ALL=C
boot=${1:?fabric}
port=7070
number=0
shim=$(ldconfig -p | sed -n 's/.* => \(.*\/\)libibumad\.so\.3$/\1umad2sim\/libumad2sim.so/p' | head -n 1)

fail() {        # ends the case
    printf '%s\n' "$@" >>"$dir/why"
    exit 1
}

linux() {       # a program of Linux on the fabric, its output kept
    local label=$1
    shift
    (cd "$dir" && IBSIM_SERVER_NAME=127.0.0.1 IBSIM_SERVER_PORT=$port LD_PRELOAD=$shim exec timeout -k 2 30 "$@") >"$dir/$label.out" 2>"$dir/$label.err"
}

does() {        # LABEL PATTERN PROGRAM...: it succeeds and prints the pattern
    local label=$1 pattern=$2
    shift 2
    local rc=0 tries=1
    linux "$label" "$@" || rc=$?
    # libumad2sim 0.10 takes the lock of an agent before it checks that there is one: a program that closes an agent at the wrong moment crashes.
    while [ $rc = 139 ] && [ $tries -lt 3 ]; do
        rc=0 tries=$((tries + 1))
        linux "$label" "$@" || rc=$?
    done
    [ $rc = 0 ] || fail "$* ended with $rc: $(tail -n 2 "$dir/$label.out" "$dir/$label.err")"
    grep -qE -- "$pattern" "$dir/$label.out" || fail "$* does not print $pattern: $(tail -n 3 "$dir/$label.out")"
}

wait_for() {    # COUNT PATTERN FILE: until this many lines match, 20 s at most
    local n=0
    until [ "$(grep -cE -- "$2" "$3" 2>/dev/null)" -ge "$1" ] 2>/dev/null; do
        n=$((n + 1))
        [ $n -lt 400 ] || fail "no $2 in ${3##*/} after 20 s: $(tail -n 2 "$3")"
        sleep 0.05
    done
}

serve() {       # TOPOLOGY OPTIONS...: the fabric in the background; its console is file descriptor 7
    mkfifo "$dir/console"
    "$VERBENA" fabric serve "$@" --port $port <"$dir/console" >"$dir/serve.out" 2>"$dir/serve.err" &
    local server=$!
    exec 7>"$dir/console"
    until grep -q '^Serving ' "$dir/serve.err"; do
        kill -0 $server 2>/dev/null || fail "verbena fabric serve ended early: $(tail -n 2 "$dir/serve.err")"
        sleep 0.05
    done
}

console() {     # PATTERN COMMAND: the command prints a line with the pattern
    local before
    before=$(grep -cE -- "$1" "$dir/serve.err")
    echo "$2" >&7
    wait_for $((before + 1)) "$1" "$dir/serve.err"
}

settles() {     # PATTERN COMMAND: the command prints it in the end, when OpenSM has done its work
    local n=0
    until { echo "$2" >&7; sleep 0.1; tail -n 2 "$dir/serve.err" | grep -qE -- "$1"; }; do
        n=$((n + 1))
        [ $n -lt 200 ] || fail "'$2' does not print $1 within 20 s: $(tail -n 2 "$dir/serve.err")"
    done
}

opensm() {      # OPTIONS...: in the background, until the subnet is up
    (cd "$dir" && IBSIM_SERVER_NAME=127.0.0.1 IBSIM_SERVER_PORT=$port LD_PRELOAD=$shim OSM_CACHE_DIR=$dir OSM_TMP_DIR=$dir \
        exec /usr/sbin/opensm -f "$dir/opensm.log" -D 0x43 -d 2 "$@") >"$dir/opensm.out" 2>&1 </dev/null &
    manager=$!
    wait_for 1 "SUBNET UP" "$dir/opensm.log"
}

opensm_once() { # OPTIONS...: until the subnet is up; leaves its tables in the folder of the case
    (cd "$dir" && IBSIM_SERVER_NAME=127.0.0.1 IBSIM_SERVER_PORT=$port LD_PRELOAD=$shim OSM_CACHE_DIR=$dir OSM_TMP_DIR=$dir \
        exec timeout -k 2 60 /usr/sbin/opensm -o -f "$dir/opensm.log" -D 0x43 "$@") >"$dir/opensm.out" 2>&1 </dev/null ||
        fail "opensm ended with $?: $(tail -n 3 "$dir/opensm.out")"
    grep -q 'SUBNET UP' "$dir/opensm.log" || fail "opensm does not say SUBNET UP: $(tail -n 3 "$dir/opensm.log")"
}

ibdmchk_says() {        # loop or none, SUBNET TABLES MULTICAST. It crashes after its verdict (1.5.7).
    (cd "$dir" && ibdmchk -s "$2" -f "$3" -m "$4") >"$dir/ibdmchk.out" 2>&1
    case $1 in
        loop) grep -q 'Found credit loop' "$dir/ibdmchk.out";;
        none) grep -q 'no credit loops found' "$dir/ibdmchk.out";;
    esac || fail "ibdmchk does not say $1: $(tail -n 3 "$dir/ibdmchk.out")"
}

# ------------------------------------------------------------------------------------------------------ kinds of case

diagnostics() { # every tool on 64 adapters
    serve leaf-spine:8x4
    opensm -R ftree
    does sminfo 'SMINFO_MASTER' sminfo
    does netdiscover '"leaf-7" base port 0 lid [1-9]' ibnetdiscover
    does linkinfo 'Active/ +LinkUp' iblinkinfo
    [ "$(grep -c 'Active/ *LinkUp' "$dir/linkinfo.out")" = 192 ] || fail "iblinkinfo does not show 192 active ports"
    local lid
    lid=$(sed -n 's/.*# "h63 sanic-1" lid \([0-9]*\) .*/\1/p' "$dir/netdiscover.out")
    does tracert 'h63 sanic-1' ibtracert 1 "$lid"
    does perfquery 'PortRcvPkts:\.+[1-9]' perfquery "$lid" 1
    does extended 'PortUnicastRcvPkts:\.+[1-9]' perfquery -x "$lid" 1
    linux reset perfquery -R "$lid" 1 0xffff || fail "perfquery -R ended with $?"
    does after 'PortXmitPkts:\.+[0-9]$' perfquery "$lid" 1
    does saquery "dlid\.+$lid" saquery PR --slid 1 --dlid "$lid"
    does errors 'nodes checked, 0 bad nodes' ibqueryerrors
    does portinfo 'LinkState:\.+Active' smpquery portinfo "$lid" 1
    console 'No credit loop' loops
    # The text of ibnetdiscover is a topology: the copy has the same nodes.
    "$VERBENA" fabric routes "$dir/netdiscover.out" --routing fat_tree --json >"$dir/routes.out" 2>"$dir/routes.err" ||
        fail "verbena does not route what ibnetdiscover printed: $(cat "$dir/routes.err" "$dir/routes.out")"
    grep -q '"adapters" *: *64,' "$dir/routes.out" && grep -q '"FAT_TREE"' "$dir/routes.out" || fail "the copy differs: $(cat "$dir/routes.out")"
}

changes() {     # a cable and a switch fail while OpenSM runs
    serve leaf-spine:4x2
    opensm -R minhop
    local lid
    linux netdiscover ibnetdiscover
    lid=$(sed -n 's/.*# "h31 sanic-1" lid \([0-9]*\) .*/\1/p' "$dir/netdiscover.out")
    console 'is unplugged' 'down leaf-0 9'
    wait_for 2 "SUBNET UP" "$dir/opensm.log"
    settles 'h0 sanic-1:1 > leaf-0:10 > spine-1:4 > leaf-3:[0-9]+ > h31' 'path h0 sanic-1 to h31 sanic-1'
    does tracert 'h31 sanic-1' ibtracert 1 "$lid"
    console 'is plugged in' 'up leaf-0 9'
    settles '40 of 40 links are up, 40 active' state
    console 'is switched off' 'down spine-1'
    settles 'h0 sanic-1:1 > leaf-0:9 > spine-0:4 > leaf-3:[0-9]+ > h31' 'path h0 sanic-1 to h31 sanic-1'
    console 'is switched on' 'up spine-1'
    settles '38 of 38 nodes work; 40 of 40 links are up, 40 active' state
    settles 'spine-1:[0-9]+ > leaf' 'path spine-1 to h31 sanic-1'
    does again '"spine-1" base port 0 lid [1-9]' ibnetdiscover
}

moved() {       # LID: packets that the adapter has received, by perfquery; 0 while it is not reached
    linux counters perfquery -x "$1" 1 && sed -n 's/^PortRcvPkts:\.*//p' "$dir/counters.out" || echo 0
}

traffic() {     # frames between endnodes while OpenSM manages; a cable fails
    serve leaf-spine:4x2 --traffic uniform --load 0.3
    console 'No frames are being sent' traffic
    opensm -R minhop
    settles 'Frames are being sent' traffic
    settles '[0-9]{5,} frames delivered and 0 discarded' traffic    # some hundreds for each of 32 adapters
    local lid before n=0
    linux netdiscover ibnetdiscover
    lid=$(sed -n 's/.*# "h31 sanic-1" lid \([0-9]*\) .*/\1/p' "$dir/netdiscover.out")
    before=$(moved "$lid")
    [ "$before" -gt 100 ] || fail "perfquery shows $before packets, which management alone could have sent"
    console 'is unplugged' 'down leaf-0 9'
    wait_for 2 "SUBNET UP" "$dir/opensm.log"
    settles 'h0 sanic-1:1 > leaf-0:10 > spine-1:4' 'path h0 sanic-1 to h31 sanic-1'
    settles 'Frames are being sent' traffic
    until [ "$(moved "$lid")" -gt $((before + 200)) ]; do
        n=$((n + 1))
        [ $n -lt 60 ] || fail "no frame arrives after the routes have changed: $(moved "$lid") instead of $before"
    done
    lid=$(sed -n 's/.*"leaf-0" base port 0 lid \([0-9]*\) .*/\1/p' "$dir/netdiscover.out")
    does downed 'LinkDownedCounter:\.+1$' perfquery "$lid" 9
}

verdict() {     # TOPOLOGY ENGINE loop|none: routes of OpenSM, judged by verbena and by ibdmchk
    serve "$1"
    opensm_once -R "$2"
    case $3 in
        loop) console 'Credit loop of' loops;;
        none) console 'No credit loop' loops;;
    esac
    ibdmchk_says "$3" opensm-subnet.lst opensm.fdbs opensm.mcfdbs
}

own_verdict() { # TOPOLOGY ENGINE loop|none: routes of Verbena's subnet manager, judged by both
    local rc=0 expected=0
    [ "$3" = none ] || expected=1
    "$VERBENA" fabric routes "$1" --routing "$2" --dump "$dir" >"$dir/routes.out" 2>"$dir/routes.err" || rc=$?
    [ $rc = $expected ] || fail "verbena ended with $rc: $(tail -n 2 "$dir/routes.out" "$dir/routes.err")"
    grep -q "$([ "$3" = loop ] && echo '^Credit loop of' || echo '^No credit loop')" "$dir/routes.out" || fail "verbena does not say $3: $(cat "$dir/routes.out")"
    ibdmchk_says "$3" subnet.lst routes.fdbs routes.mcfdbs
}

large() {       # 1,024 adapters in less than 30 s
    serve fat-tree:16
    local began=$SECONDS
    opensm_once -R ftree
    [ $((SECONDS - began)) -lt 30 ] || fail "opensm needed $((SECONDS - began)) s"
    console '1344 of 1344 nodes work; 3072 of 3072 links are up, 3072 active; 1024 adapters have a LID' state
}

# ---------------------------------------------------------------------------------------------------------------- the cases

end_tree() {    # a process and all that it started
    local child
    for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do end_tree "$child"; done
    kill -KILL "$1" 2>/dev/null
}

leave_case() {
    local rc=$? job
    for job in $(jobs -p); do end_tree "$job"; done
    wait 2>/dev/null
    rm -rf "$dir"/sys-*
    exit $rc
}

run_case() {    # GROUP NAME KIND ARGUMENTS...
    local group=$1 name=$2 started outcome seconds
    shift 2
    number=$((number + 1))
    if [ -n "${ONLY:-}" ] && ! grep -qiE -- "$ONLY" <<<"$boot $group: $name"; then return; fi
    dir=$WORK/$boot/$(printf '%02d' "$number")
    mkdir -p "$dir"
    echo "$group: $name" >"$dir/name"
    started=${EPOCHREALTIME/./}
    if (trap leave_case EXIT; "$@") 2>"$dir/shell.err"; then outcome=ok; else outcome=FAILED; fi
    seconds=$(awk -v us=$((${EPOCHREALTIME/./} - started)) 'BEGIN { printf "%.1f", us / 1e6 }')
    printf '%-6s %5s s  %s: %s\n' "$outcome" "$seconds" "$group" "$name"
    [ $outcome = ok ] || cat "$dir/why" "$dir/shell.err" 2>/dev/null | sed 's/^/                  /'
    printf '%s\t%s\t%s\t%s\n' "$outcome" "$seconds" "$group" "$name" >>"$WORK/results"
}

run_case fabric "OpenSM and the diagnostics on 64 adapters" diagnostics
run_case fabric "a cable and a switch fail while OpenSM runs" changes
run_case fabric "perfquery shows the traffic of endnodes, and a cable fails" traffic
run_case fabric "5x5 torus, minhop of OpenSM: credit loop" verdict torus:5x5 minhop loop
run_case fabric "5x5 mesh, dor of OpenSM: no credit loop" verdict mesh:5x5 dor none
run_case fabric "5x5 torus, own minhop: credit loop" own_verdict torus:5x5 minhop loop
run_case fabric "5x5 torus, own up/down: no credit loop" own_verdict torus:5x5 up_down none
if [ "${QUICK:-0}" = 0 ]; then
    run_case fabric "5x5 mesh, minhop of OpenSM: credit loop" verdict mesh:5x5 minhop loop
    run_case fabric "ring of 6, minhop of OpenSM: credit loop" verdict ring:6 minhop loop
    run_case fabric "leaves and spines, updn of OpenSM: no credit loop" verdict leaf-spine:8x4 updn none
    run_case fabric "dragonfly, own minhop: credit loop" own_verdict dragonfly:2x4x2 minhop loop
    run_case fabric "dragonfly, own up/down: no credit loop" own_verdict dragonfly:2x4x2 up_down none
    run_case fabric "fat tree, own fat-tree routes: no credit loop" own_verdict fat-tree:4 fat_tree none
    run_case fabric "OpenSM brings 1,024 adapters up" large
fi
exit 0
