# shellcheck shell=bash
# The forwarder `verbena net impair` between the guest and this system; rxe.sh and suite.sh read it, after common.sh.
#
#   guest -- $GUEST_TAP -- packet socket -- verbena net impair -- impair0 with $HOST_IP
#
# The frames of the guest's capture are those before the forwarder in its direction, and those after it in the other one.

impaired_mac=
impaired_up() {         # options of the forwarder, which are rules
    local n=0 mtu
    # /sys shows the interfaces of another network namespace.
    impaired_mac=$(ip -o link show dev "$GUEST_TAP" | sed -n 's|.* link/ether \([0-9a-f:]*\).*|\1|p')
    mtu=$(ip -o link show dev "$GUEST_TAP" | sed -n 's|.* mtu \([0-9]*\).*|\1|p')
    ip tuntap add dev impair0 mode tap && ip link set impair0 address "$impaired_mac" mtu "$mtu" up || return 1
    : >"$WORK/impair.err"
    sysctl -qw net.ipv6.conf.impair0.disable_ipv6=1 2>/dev/null
    # A job of this shell would end with the first case.
    setsid "$VERBENA" net impair "packet:$GUEST_TAP" tap:impair0 --json "$@" >"$WORK/impair.out" 2>"$WORK/impair.err" </dev/null &
    echo $! >"$WORK/impair.pid"
    disown
    until grep -q 'Forwarding between' "$WORK/impair.err"; do
        n=$((n + 1))
        [ $n -lt 400 ] && kill -0 "$(cat "$WORK/impair.pid")" 2>/dev/null || return 1
        sleep 0.05
    done
    # This system must not take frames at the guest's tap any more: they arrive at impair0, which has the address that the guest knows.
    ip addr del "$HOST_IP/24" dev "$GUEST_TAP" && ip link set "$GUEST_TAP" arp off address 02:00:00:00:00:09 &&
        ip addr add "$HOST_IP/24" dev impair0 && guest true
}

impaired_down() {
    kill -TERM "$(cat "$WORK/impair.pid")" 2>/dev/null
    local n=0
    while kill -0 "$(cat "$WORK/impair.pid")" 2>/dev/null && [ $n -lt 100 ]; do
        n=$((n + 1))
        sleep 0.05
    done
    ip link del impair0 2>/dev/null
    ip link set "$GUEST_TAP" arp on address "$impaired_mac"
    ip addr add "$HOST_IP/24" dev "$GUEST_TAP" 2>/dev/null
}

# The figures of the forwarder, once it has ended: each effect that was asked for has happened.
impaired_figures() {    # NAMES OF COUNTERS...
    local each
    for each; do
        grep -qE "\"$each\":[1-9]" "$WORK/impair.out" || fail "the forwarder counts no packet that was $each: $(cat "$WORK/impair.out")"
    done
    grep -o '"fromA.*' "$WORK/impair.out" | cut -c 1-140 >"$dir/note"
}

# Cases over a bad network: RULES are options, CASES a function with them, COUNTERS what must have happened.
impaired() {            # "NAME" CASES "COUNTERS" RULES...
    local name=$1 cases=$2 counters=$3
    shift 3
    if ! impaired_up "$@"; then
        echo "interop: no forwarder: $(tail -n 1 "$WORK/impair.err")" >&2
        impaired_down
    else
        group=impaired name=$name $cases
        impaired_down
    fi
    # shellcheck disable=SC2086 # words
    run_case impaired "what the forwarder did, $name" impaired_figures $counters
}
