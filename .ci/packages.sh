# Programs of Debian, for the scripts that source this file. It names no versions: the archive moves.

# with_new_lists COMMAND...: runs it, and if it fails, once more with new package lists. Those of a new machine are empty, and old
# ones name versions that are no longer in the archive. A source of packages that does not respond may not be the one that is needed.
with_new_lists() {
    "$@" && return
    [ "$(id -u)" = 0 ] || {
        echo "if the package lists of this machine are old, run apt-get update as root" >&2
        return 1
    }
    echo "updating the package lists of this machine" >&2
    apt-get -q -o DPkg::Lock::Timeout=120 update >&2 || :
    "$@"
}

# install_packages PACKAGE...: prints the last lines of apt-get only if it fails.
install_packages() {
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "not installed: $*; install them as root (Debian: apt-get install $*)" >&2
        return 1
    fi
    echo "installing $*" >&2
    apt_log=$(mktemp) || return
    if with_new_lists env DEBIAN_FRONTEND=noninteractive \
        apt-get -y -q -o DPkg::Lock::Timeout=120 --no-install-recommends install "$@" >"$apt_log" 2>&1 </dev/null; then
        rm -f "$apt_log"
    else
        tail -n 5 "$apt_log" >&2
        rm -f "$apt_log"
        echo "apt-get cannot install $*" >&2
        return 1
    fi
}

# need PROGRAM:PACKAGE...: installs the packages of those programs that are missing.
need() {
    absent=$(absent_packages "$@")
    # shellcheck disable=SC2086 # words
    [ -z "$absent" ] || install_packages $absent || return
    absent=$(absent_packages "$@")
    [ -z "$absent" ] || {
        echo "still missing after the installation: the programs of $absent" >&2
        return 1
    }
}

absent_packages() {
    for pair in "$@"; do
        command -v "${pair%%:*}" >/dev/null 2>&1 || echo "${pair#*:}"
    done | sort -u
}
