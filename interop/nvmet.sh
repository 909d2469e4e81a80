#!/bin/bash
# Cases in which a JVM uses disks that Linux serves (nvmet in the guest); disks.sh reads it. Disk 1 is a file in memory, which refuses Write
# Zeroes; disk 2 is a RAM disk, which executes it. DiskHost.java is the host.

nvmet_nqn=nqn.2026-01.org.kernel:disk

put_nvmet_in_guest() {
    guest 'modprobe -a nvmet-rdma && modprobe brd rd_nr=1 rd_size=16384 && cat >/tmp/nvmet <<"END"
config=/sys/kernel/config/nvmet
subsystem=$config/subsystems/'"$nvmet_nqn"'
served() {      # PORT
    mount | grep -q configfs || mount -t configfs none /sys/kernel/config
    rm -f /dev/shm/disk
    dd if=/dev/zero of=/dev/shm/disk bs=1M count=48 2>/dev/null
    mkdir $subsystem
    echo 1 >$subsystem/attr_allow_any_host
    disk 1 /dev/shm/disk
    disk 2 /dev/ram0
    mkdir $config/ports/1
    echo rdma >$config/ports/1/addr_trtype
    echo ipv4 >$config/ports/1/addr_adrfam
    echo '"$GUEST_IP"' >$config/ports/1/addr_traddr
    echo $1 >$config/ports/1/addr_trsvcid
    give
}
disk() {        # NUMBER PATH
    mkdir $subsystem/namespaces/$1
    echo -n $2 >$subsystem/namespaces/$1/device_path
    echo 1 >$subsystem/namespaces/$1/buffered_io
    echo 1 >$subsystem/namespaces/$1/enable
}
give() { ln -s $subsystem $config/ports/1/subsystems/; }
take() { rm $config/ports/1/subsystems/*; }
removed() {
    rm -f $config/ports/*/subsystems/*
    for each in $config/ports/* $config/subsystems/*/namespaces/* $config/subsystems/*; do
        [ ! -d $each ] || rmdir $each
    done
}
# Queue pairs of nvmet that exist
held() { rdma resource show qp | grep -c nvmet; }
END'
}

serve_in_guest() {
    on_guest ". /tmp/nvmet; removed; served $port"
}

guest_holds_nothing() {
    local n
    for ((n = 0; n < 50; n++)); do
        [ "$(guest '. /tmp/nvmet; held')" != 0 ] || return 0
        sleep 0.2
    done
    fail "nvmet still holds queues of a host that has left: $(guest 'rdma resource show qp')"
}

disk_command() {        # LABEL COMMAND ARGUMENTS...: verbena disk COMMAND, which succeeds
    local label=$1 command=$2
    shift 2
    verbena "$label" disk "$command" "${provider[@]}" "$GUEST_IP:$port" "$@" ||
        fail "verbena disk $command ended with $?: $(tail -n 3 "$dir/$label.err")"
}

start_disk_host() {     # KEYS: DiskHost, connected when this returns
    start_java '^ready' DiskHost "$kind" "$GUEST_IP" "$port" "$nvmet_nqn" "${1:-PER_COMMAND}"
}

asked() {               # COMMAND PATTERN: the answer of DiskHost
    tell "$1"
    grep -qE -- "$2" <<<"$answer" || fail "DiskHost answers '$1' with '$answer', not $2"
}

until_asked() {         # COMMAND PATTERN: within 20 s
    local n
    for ((n = 0; n < 100; n++)); do
        tell "$1"
        ! grep -qE -- "$2" <<<"$answer" || return 0
        sleep 0.2
    done
    fail "DiskHost answers '$1' with '$answer' after 20 s, not $2"
}

end_disk_host() {
    tell close
    wait "$server" || fail "DiskHost ended with $?: $(tail -n 3 "$dir/server.err")"
    guest_holds_nothing
}

# ------------------------------------------------------------------------------------------------------ kinds of case

nvmet_commands() {      # verbena disk discover, connect, write, read, bench; and what a user sees of errors
    serve_in_guest
    disk_command discover discover
    grep -q "$nvmet_nqn .*$GUEST_IP.* $port" "$dir/discover.out" || fail "discover prints: $(cat "$dir/discover.out")"
    disk_command connect connect --json
    json_has "$dir/connect.out" bytes 50331648 && json_has "$dir/connect.out" bytes 16777216 || fail "connect prints: $(cat "$dir/connect.out")"
    head -c 3000100 /dev/urandom >"$dir/data"
    disk_command write write "$dir/data" --offset 4096
    [ "$(guest "dd if=/dev/shm/disk bs=4096 skip=1 2>/dev/null | head -c 3000100 | sha256sum")" = "$(sha256sum <"$dir/data")" ] ||
        fail "the file of nvmet does not contain what was written"
    disk_command read read "$dir/copy" --offset 4096 --length 3000100
    cmp "$dir/data" "$dir/copy" >"$dir/cmp" 2>&1 || fail "other bytes were read: $(cat "$dir/cmp")"
    disk_command bench bench --seconds 1 --json
    refused 'no disk 7' connect-7 read --disk 7 "$dir/copy"
    refused 'has no subsystem nqn.2026-01.org.example:none' unknown connect --nqn nqn.2026-01.org.example:none
    on_guest '. /tmp/nvmet; echo 0 >$subsystem/attr_allow_any_host'
    refused 'offers no subsystem' stranger connect
    refused 'does not let the host .* use the subsystem' stranger-by-name connect --nqn "$nvmet_nqn"
    guest_holds_nothing
}

refused() {             # PATTERN LABEL COMMAND FILE-AND-OPTIONS...: one sentence, exit code 1
    local pattern=$1 label=$2 command=$3 rc=0
    shift 3
    verbena "$label" disk "$command" "${provider[@]}" "$GUEST_IP:$port" "$@" || rc=$?
    [ $rc = 1 ] || fail "verbena disk $command ended with $rc: $(tail -n 3 "$dir/$label.err")"
    program="verbena disk $command" sentence "$label" "$pattern"
    cat "$dir/note" >>"$dir/notes"
    mv "$dir/notes" "$dir/note"
    cp "$dir/note" "$dir/notes"
}

nvmet_operations() {    # KEYS: lengths, 32 at once, flush, write zeroes
    serve_in_guest
    start_disk_host "$1"
    asked 'sizes 1' '^done'
    asked 'flight 1' 'of 1048576 bytes'
    asked 'sizes 2' '^done'
    asked 'zeroes 1' '^refused|^done'
    echo "write zeroes: disk 1 $answer" >"$dir/note"
    asked 'zeroes 2' '^done'
    asked state 'LIVE 1$'
    end_disk_host
}

nvmet_port() {          # the port is taken away and given back; what is begun in between is done afterwards
    serve_in_guest
    start_disk_host
    # nvmet over siw never releases a queue that it ends itself while commands are under way.
    if [ "$kind" = roce ]; then
        tell 'load 1'
        until_asked progress '[0-9]{2,}'
    else
        asked 'sizes 1' '^done'
    fi
    on_guest '. /tmp/nvmet; take'
    until_asked state 'WAITING|CONNECTING'
    [ "$kind" = roce ] || tell 'load 1'
    sleep 1
    on_guest '. /tmp/nvmet; give'
    back_under_load
    end_disk_host
}

back_under_load() {     # connected once more, and the load goes on
    local before
    until_asked state 'LIVE [2-9]'
    tell progress
    before=$answer
    until [ "$answer" -gt $((before + 64)) ]; do sleep 0.2; tell progress; done
    asked end '^verified'
    echo "$answer operations" >"$dir/note"
}

nvmet_link() {          # SECONDS: the link is cut under load, for longer than a keep-alive command may take (7.5 s), and repaired
    local cut='ip link set eth0 down' repair='ip link set eth0 up' tc
    if [ "$kind" = roce ]; then
        # rxe sends nothing any more once its interface was down while the kernel wanted to end a connection. The sh of the guest that
        # setsid starts prefers the tc of busybox, which has no netem.
        tc=$(guest 'command -v tc')
        cut="$tc qdisc add dev eth0 root netem loss 100%" repair="$tc qdisc del dev eth0 root"
    fi
    serve_in_guest
    start_disk_host
    tell 'load 1'
    until_asked progress '[0-9]{2,}'
    guest "setsid sh -c 'sleep 0.5; $cut; sleep $1; $repair' >/dev/null 2>&1 </dev/null &"
    until_asked state 'ENDING|WAITING|CONNECTING'
    back_under_load
    end_disk_host
}

nvmet_namespaces() {    # a disk grows, goes and comes back while another one is in use
    serve_in_guest
    start_disk_host
    tell 'load 1'
    asked 'blocks 2' '^4096$'
    on_guest '. /tmp/nvmet; echo 0 >$subsystem/namespaces/2/enable'
    until_asked 'blocks 2' none
    asked gone GONE
    on_guest '. /tmp/nvmet; echo 1 >$subsystem/namespaces/2/enable'
    until_asked 'blocks 2' '^4096$'
    asked 'sizes 2' '^done'
    on_guest '. /tmp/nvmet; dd if=/dev/zero of=/dev/shm/disk bs=1M seek=64 count=0 2>/dev/null; echo 1 >$subsystem/namespaces/1/revalidate_size'
    until_asked 'blocks 1' '^16384$'
    asked end '^verified'
    echo "$answer operations of the other disk" >"$dir/note"
    asked state 'LIVE 1$'
    end_disk_host
}

nvmet_killed() {        # COUNT: hosts that are killed with commands in flight leave nothing
    local n
    serve_in_guest
    for ((n = 0; n < $1; n++)); do
        start_disk_host
        tell 'load 1'
        until_asked progress '[0-9]{2,}'
        kill_server
    done
    start_disk_host
    asked 'sizes 1' '^done'
    end_disk_host
}

nvmet_cases() {
    run_case nvmet "all lengths, 32 at once, flush, write zeroes" after_another nvmet_operations PER_COMMAND
    run_case nvmet "the port is taken away and given back" after_another nvmet_port
    full || [ "$kind" = iwarp ] || return 0
    run_case nvmet "verbena disk discover, connect, write, read, bench; refusals" after_another nvmet_commands
    run_case nvmet "a disk goes, comes back and another one grows, in use" after_another nvmet_namespaces
    full || return 0
    run_case nvmet "one key for all commands" after_another nvmet_operations PER_MEMORY
    run_case nvmet "the link is cut for 15 s under load" after_another nvmet_link 15
    run_case nvmet "three hosts are killed under load" after_another nvmet_killed 3
}
