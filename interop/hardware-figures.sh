#!/bin/bash
# The figures of the provider ibverbs beside C programs in the same guest; hardware.sh reads it. In the full form only:
#
#   interop/run --part hardware-rxe --only figures
#
# All programs run in the guest, in turn, over the same device; each figure is the median of its turns. The JVMs stay the same, as those of a
# server do, and the first turns of Java are not counted, because C has nothing to warm up.
turns=7

# The instruction PAUSE ends the translated code of an emulated processor, which costs microseconds; perftest has none in its loops.
figure_java="-XX:+UnlockDiagnosticVMOptions -XX:DisableIntrinsic=_onSpinWait ${java/-XX:TieredStopAtLevel=1 /}"

# ------------------------------------------------------------------------------------------------ calls of the data path

calls_beside_c() {
    guest_limit=500 guest "/mnt/share/bin/java $figure_java AdapterCalls $device $GUEST_IP /root/adapter/adapter-calls" >"$dir/guest.out" 2>&1 ||
        fail "AdapterCalls ended with $?: $(tail -n 5 "$dir/guest.out")"
    cp "$dir/guest.out" "$dir/note"
    grep -q goal "$dir/note" || fail "AdapterCalls printed no figure: $(cat "$dir/guest.out")"
}

# ------------------------------------------------------------------------------------------------------------- perftest

start_series() {        # NAME: a JVM in the guest that runs programs
    guest "rm -f /tmp/$1.*; mkfifo /tmp/$1.in; setsid /mnt/share/bin/java $figure_java Series <>/tmp/$1.in >/tmp/$1.err 2>&1 &" || fail "no JVM in the guest"
}

perftest_in_jvms() {    # OP OPTIONS: prints the figure
    local op=$1 words
    shift
    words="io.verbena.tools.Verbena perftest $op --provider ibverbs --device $device --timeout 60 -p $port $* --json"
    guest_limit=150 guest "rm -f /tmp/[sc].log /tmp/[sc].rc
        echo '/tmp/s $words' >/tmp/s.in
        n=0; until grep -q 'Listening at' /tmp/s.log 2>/dev/null; do n=\$((n+1)); [ \$n -lt 600 ] && [ ! -s /tmp/s.rc ] || exit 9; sleep 0.1; done
        echo '/tmp/c $words $GUEST_IP' >/tmp/c.in
        n=0; until [ -s /tmp/c.rc ] && [ -s /tmp/s.rc ]; do n=\$((n+1)); [ \$n -lt 800 ] || exit 8; sleep 0.1; done; cat /tmp/c.log; exit \$(cat /tmp/c.rc)" \
        >"$dir/java.out" 2>&1 || fail "verbena perftest $op in the guest ended with $?: $(guest 'tail -n 3 /tmp/[sc].log')"
    case $op in
        *_lat) sed -nE 's/.*"median" *: *([0-9.E]+).*/\1/p' "$dir/java.out";;
        *) sed -nE 's/.*"bytesPerSecond" *: *([0-9.E]+).*/\1/p' "$dir/java.out";;
    esac | head -n 1
}

perftest_in_c() {       # OP OPTIONS: prints the figure in the same units
    local op=$1
    shift
    guest "n=0; ib_$op -d $device -x 1 -F -p $port $* >/tmp/ps.log 2>&1 &
        until grep -qi ':$(printf %04X "$port") .*:0000.* 0A' /proc/net/tcp /proc/net/tcp6; do n=\$((n+1)); [ \$n -lt 100 ] || exit 9; sleep 0.1; done
        ib_$op -d $device -x 1 -F -p $port $* $GUEST_IP; rc=\$?; wait; exit \$rc" >"$dir/c.out" 2>&1 ||
        fail "ib_$op in the guest ended with $?: $(tail -n 5 "$dir/c.out")"
    # The first line after the head: #bytes #iterations t_min t_max t_typical, in us; or #bytes #iterations peak average, in MB of 2^20 bytes
    awk -v op="$op" '/^ *#bytes/ { head = 1; next } head && NF > 3 { if (op ~ /_lat$/) printf "%.0f\n", 1000 * $5; else printf "%.0f\n", $4 * 1048576; exit }' "$dir/c.out"
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

perftest_beside_c() {   # UNIT AT-MOST|AT-LEAST GOAL ROUNDS ROUNDS-TO-WARM-UP OP OPTIONS
    local unit=$1 kind=$2 goal=$3 rounds=$4 warm_up=$5 turn java c
    shift 5
    start_series s
    start_series c
    : >"$dir/java.all"
    : >"$dir/c.all"
    for turn in 1 2; do         # the compiler of an emulated machine needs seconds
        perftest_in_jvms "$@" -n "$warm_up" >/dev/null || exit 1
    done
    for ((turn = 0; turn < turns; turn++)); do
        java=$(perftest_in_jvms "$@" -n "$rounds") || exit 1
        c=$(perftest_in_c "$@" -n "$rounds") || exit 1
        echo "$java" >>"$dir/java.all"
        echo "$c" >>"$dir/c.all"
    done
    java=$(median <"$dir/java.all") c=$(median <"$dir/c.all")
    [ -n "$java" ] && [ -n "$c" ] || fail "no figure: $(tail -n 3 "$dir/java.out" "$dir/c.out")"
    awk -v java="$java" -v c="$c" -v unit="$unit" -v kind="$kind" -v goal="$goal" \
        'BEGIN { printf "%.0f %s, C %.0f %s, ratio %.2f, goal %s %.2f\n", java, unit, c, unit, java / c, kind, goal }' >"$dir/note"
}

figure_cases() {
    programs='java adapter-calls'
    run_case hardware "figures: calls of the data path over $device beside C" calls_beside_c
    [ "$link" = rxe ] || return 0       # ib_write_lat needs a peer-to-peer mode of siw
    run_case hardware "figures: verbena perftest write_lat of 8 bytes over $device beside ib_write_lat" \
        perftest_beside_c ns "at most" 1.1 2000 200000 write_lat -s 8
    run_case hardware "figures: verbena perftest write_bw of 64 KiB over $device beside ib_write_bw" \
        perftest_beside_c B/s "at least" 0.95 400 8000 write_bw -s 65536 -t 32
}
