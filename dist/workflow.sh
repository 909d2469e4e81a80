# For dist/try, which sources it: the jobs of docs/ci-example.yml as shell scripts, and stand-ins for what a runner has.

# job NAME: the commands of its steps, each in a shell of its own as on a runner, without those of steps that have a condition.
job() {
    awk -v job="  $1:" '
        /^  [^ ]/ { inside = $0 == job; next }
        !inside { next }
        /^      - / { finish(); conditional = 0 }
        /^ +if:/ { conditional = 1 }
        /^        run: \|$/ { block = 1; text = ""; next }
        /^ +(- )?run: / { sub(/^ +(- )?run: /, ""); text = $0 "\n"; finish(); next }
        block { text = text substr($0, 11) "\n" }
        END { finish() }
        function finish() {
            if (text != "" && !conditional) printf "bash -e <<\"STEP\" || exit\n%sSTEP\n", text
            text = ""; block = 0
        }' docs/ci-example.yml
}

# stand_ins FOLDER: writes them there.
stand_ins() {
    # A Docker before version 25: it reads manifest.json, and knows no other description of an archive.
    cat >"$1/docker" <<'END'
#!/usr/bin/env bash
set -e
box=/var/lib/box
case $1 in
load)
    mkdir -p $box/archive $box/root
    tar -C $box/archive -xf "$3"
    for layer in $(jq -r '.[0].Layers[]' $box/archive/manifest.json); do
        tar --warning=no-unknown-keyword -C $box/root -xzf "$box/archive/$layer"
    done
    mkdir -p $box/root/proc $box/root/dev
    mount --rbind /dev $box/root/dev
    mount -t proc none $box/root/proc
    ;;
run)
    shift
    while [[ $1 == -* ]]; do
        case $1 in
        --detach) detach=1 ;;
        --rm) ;;
        --name | --publish) shift ;;
        *) echo "unknown option $1"; exit 125 ;;
        esac
        shift
    done
    jq -e --arg name "$1" '.[0].RepoTags | index($name)' $box/archive/manifest.json >/dev/null || { echo "no image $1"; exit 125; }
    shift
    config=$box/archive/$(jq -r '.[0].Config' $box/archive/manifest.json)
    eval "variables=($(jq -r '.config.Env | @sh' "$config")) words=($(jq -r '.config.Entrypoint | @sh' "$config"))"
    [ -n "${detach:-}" ] || exec env -i "${variables[@]}" /usr/sbin/chroot $box/root "${words[@]}" "$@"
    env -i "${variables[@]}" /usr/sbin/chroot $box/root "${words[@]}" "$@" >$box/log 2>&1 </dev/null &
    ;;
*) exit 125 ;;
esac
END
    # The build of the reader's program, whose tests talk to the peer: here the command line, as soon as it listens.
    cat >"$1/mvnw" <<'END'
#!/bin/bash -e
[[ $* =~ ^verify\ -Drdma.peer=([0-9.]+):([0-9]+)$ ]]
until ss --listening --tcp --no-header "sport = :${BASH_REMATCH[2]}" | grep -q .; do sleep 0.1; done
/opt/verbena/bin/verbena ping "${BASH_REMATCH[1]}" -p "${BASH_REMATCH[2]}" -C 10 -V
END
    printf '#!/bin/sh\nexec "$@"\n' >"$1/sudo"
    printf '#!/bin/sh\n' >"$1/apt-get"
    printf '#!/bin/sh\n' >"$1/modprobe"
    # The device, which takes UDP port 4791 of its network as the module does, until the program below frees it: there is no module here.
    cat >"$1/rdma" <<'END'
#!/bin/bash -e
[[ $* =~ ^link\ add\ ([a-z0-9]+)\ type\ rxe\ netdev\ ([a-z0-9]+)$ ]]
gids=/sys/class/infiniband/${BASH_REMATCH[1]}/ports/1/gids
address=$(ip -json address show dev "${BASH_REMATCH[2]}" | jq -r '.[0].addr_info[] | select(.family == "inet").local')
mkdir -p "$gids"
echo fe80:0000:0000:0000:0000:0000:0000:0001 >"$gids/0"
printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x\n' ${address//./ } >"$gids/1"
mkdir /tmp/rxe
perl -MIO::Socket::INET -e 'my $device = IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => 4791, Proto => "udp") or die; sleep' </dev/null >/dev/null &
echo $! >/tmp/rxe/pid
until grep -q ':12B7 ' /proc/net/udp; do sleep 0.1; done
END
    cat >"$1/ibv_rc_pingpong" <<'END'
#!/bin/bash -e
[[ $* =~ ^-d\ rxe0\ -g\ 1\ ([0-9.]+)$ ]]
kill "$(cat /tmp/rxe/pid)"
while grep -q ':12B7 ' /proc/net/udp; do sleep 0.1; done
exec /opt/verbena/bin/verbena pingpong rc "${BASH_REMATCH[1]}"
END
    chmod +x "$1"/*
}
