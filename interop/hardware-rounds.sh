#!/bin/bash
# What the provider ibverbs leaves in the kernel: nothing, after many lives of an RNIC of which half end with an exception at a random step, and
# after processes that are killed. hardware.sh reads it. In the full form only:
#
#   interop/run --part hardware --only 'rounds|kills'
rounds=1000
kills=20

objects() {     # what the kernel holds for the device: queue pairs, CQs, regions, and so on, with those of the kernel itself
    guest "rdma resource show | grep ' $device:'; ls /sys/class/infiniband | wc -l"
}

await_objects() {       # WANTED: the kernel cleans up after a process that was killed
    local n=0 now
    until now=$(objects) && [ "$now" = "$1" ]; do
        n=$((n + 1))
        [ $n -lt 60 ] || fail "objects are left in the kernel:" "before: $1" "now: $now"
        sleep 0.5
    done
}

many_rounds() {
    local before seed=$RANDOM
    before=$(objects) && grep -q ' qp ' <<<"$before" || fail "the guest lists no resources: $before"
    program_limit=900 in_guest "AdapterRounds $device $GUEST_IP $rounds $seed" || fail "AdapterRounds ended with $?: $(tail -n 5 "$dir/guest.out")"
    await_objects "$before"
    { tail -n 1 "$dir/guest.out"; echo "seed $seed; in the kernel before and after:" "$before"; } >"$dir/note"
}

many_kills() {
    local before kill wait_ms
    before=$(objects)
    for ((kill = 1; kill <= kills; kill++)); do
        launch_in_guest "AdapterRounds $device $GUEST_IP 1000000 $kill"
        wait_ms=$((RANDOM % 3000))
        guest "n=0; until grep -q Started /tmp/v.log; do n=\$((n+1)); [ \$n -lt 600 ] || exit 9; sleep 0.1; done
            sleep $((wait_ms / 1000)).$(printf %03d $((wait_ms % 1000))); killall -9 java" >"$dir/kill.out" 2>&1 ||
            fail "kill $kill: $(cat "$dir/kill.out")" "$(guest cat /tmp/v.log)"
        await_objects "$before"
    done
    echo "$kills kills; in the kernel before and after each:" "$before" >"$dir/note"
}

survival() {            # CHANGES LOG
    local seed=$RANDOM
    program_limit=300 in_guest "AdapterSurvival pair $device $GUEST_IP $1 $2 $seed" ||
        fail "AdapterSurvival with seed $seed ended with $?: $(tail -n 5 "$dir/guest.out")"
    tail -n 1 "$dir/guest.out" >"$dir/note"
}

no_survival() {
    ! program_limit=300 in_guest "AdapterSurvival pair $device $GUEST_IP 1 false 1" || fail "a connection over $device survives"
    grep 'UnsupportedOperationException: Over siw' "$dir/guest.out" >"$dir/note" || fail "no refusal: $(tail -n 5 "$dir/guest.out")"
}

survival_cases() {
    if [ "$link" = siw ]; then
        run_case hardware "a connection over $device that is to survive is refused" no_survival
        return
    fi
    run_case hardware "a connection over $device survives, with a log" survival "$(full && echo 200 || echo 5)" true
    ! full || run_case hardware "a connection over $device survives, without a log" survival 200 false
}

rounds_cases() {
    run_case hardware "rounds: $rounds lives in one process over $device, half of them with an exception" many_rounds
    run_case hardware "kills: $kills processes killed over $device" many_kills
}
