# Versions that the archive of Debian has now, and their files; build-guest.sh and c-programs.sh read it. The archive replaces packages one
# at a time, so those of one source are not always there in the same version, and the candidate of one package says nothing about another.

# candidates PACKAGE... <POLICY: reads what apt-cache policy prints, and prints PACKAGE=VERSION for each: the candidate of apt, or the
# newest version in the archive if the candidate is a version that is only installed here.
candidates() {
    awk -v packages="$*" '
        /^[^ ]/ { sub(/:.*/, ""); name = $0; next }
        $1 == "Candidate:" { candidate = $2; next }
        /^ (\*\*\*|   ) [^ ]/ { version = $1 == "***" ? $2 : $1; next }
        /^ +-?[0-9]+ / && $2 !~ /\/dpkg\/status$/ && (!(name in take) || version == candidate) { take[name] = version }
        END {
            count = split(packages, wanted, " ")
            for (i = 1; i <= count; i++)
                if (wanted[i] in take) print wanted[i] "=" take[wanted[i]]
                else missing = missing " " wanted[i]
            if (missing != "") {
                print "The package lists of this machine name no version of" missing "." >"/dev/stderr"
                exit 1
            }
        }'
}

# kernel_packages SERIES <NAMES: reads names of packages, and prints those that choose_kernel compares.
kernel_packages() {
    grep -E "^linux-((image|headers)-${1//./\\.}\.[0-9]+-[0-9]+-(amd64|common)|(kbuild|source)-${1//./\\.})$"
}

# choose_kernel SERIES ABI <RECORDS: reads what apt-cache show prints about the packages of a series, and prints the ABI and version of
# the newest kernel of which image, both headers and source are there in one version, and the newest version of kbuild that these headers
# may be used with. An empty ABI permits all of them.
choose_kernel() {
    awk -v RS= '
        function value(field) {
            return match("\n" $0, "\n" field ": [^\n]*") ? substr($0, RSTART + length(field) + 2, RLENGTH - length(field) - 3) : ""
        }
        value("Filename") == "" { next }    # installed here, and no longer in the archive
        {
            print value("Version"), value("Package")
            count = split(value("Depends"), depends, / *, */)
            for (i = 1; i <= count; i++)
                if (depends[i] ~ /^linux-kbuild-.* \(/ && split(depends[i], part, /[ ()]+/) >= 3)
                    print part[3], value("Package"), value("Version"), part[2]
        }' | sort -V | awk -v series="$1" -v wanted="$2" -f "${BASH_SOURCE[0]%/*}/kernel.awk"
}

package_file() {        # FOLDER PACKAGE=VERSION
    echo "$1/${2%%=*}_$(sed 's/^[^=]*=//; s/:/%3a/g' <<<"$2")"_*.deb
}

# fetch_packages FOLDER PACKAGE=VERSION...: downloads what the folder does not contain. apt-get checks and completes the files of a download
# that was interrupted, so they stay in a folder of their own until all are complete.
fetch_packages() {
    local folder=$1 package need=()
    shift
    for package; do [ -e "$(package_file "$folder" "$package")" ] || need+=("$package"); done
    [ ${#need[@]} -gt 0 ] || return 0
    echo "downloading ${need[*]}" >&2
    mkdir -p "$folder/partial" && (cd "$folder/partial" && apt-get -q -o APT::Sandbox::User=root download "${need[@]}" >&2) || return
    for package in "${need[@]}"; do mv "$(package_file "$folder/partial" "$package")" "$folder" || return; done
    rm -rf "$folder/partial"
}
