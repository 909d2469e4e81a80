# Chooses the packages of a kernel, for choose_kernel of archive.sh. Its input is sorted by versions, the first word of each line:
#   VERSION PACKAGE                                 a package that is in the archive
#   VERSION HEADERS VERSION-OF-HEADERS OPERATOR     these headers need a kbuild of which the version is = or >= or … VERSION
!($1 in rank) { rank[$1] = NR }
NF == 4 {
    n = ++limits[$2, $3]
    operator[$2, $3, n] = $4
    limit[$2, $3, n] = rank[$1]
    next
}
!(($2, $1) in there) {
    there[$2, $1] = 1
    name[++count] = $2
    version[count] = $1
}

function permits(operator, order) {
    if (operator == "=") return order == 0
    if (operator == ">=") return order >= 0
    if (operator == ">>") return order > 0
    if (operator == "<=") return order <= 0
    return order < 0
}

function fits(headers, kernel, kbuild,    i) {
    for (i = 1; i <= limits[headers, kernel]; i++)
        if (!permits(operator[headers, kernel, i], rank[kbuild] - limit[headers, kernel, i])) return 0
    return 1
}

function newest_kbuild(headers, kernel,    i) {
    for (i = count; i > 0; i--)
        if (name[i] == "linux-kbuild-" series && fits(headers, kernel, version[i])) return version[i]
    return ""
}

# The line to print for an image, or an empty one if something is not there in its version.
function kernel_of(image, v,    abi, headers, common, kbuild) {
    abi = substr(image, length("linux-image-") + 1)
    headers = "linux-headers-" abi
    common = headers
    sub(/amd64$/, "common", common)
    if (wanted != "" && abi != wanted || !((headers, v) in there) || !((common, v) in there) || !(("linux-source-" series, v) in there))
        return ""
    kbuild = newest_kbuild(headers, v)
    return kbuild == "" ? "" : abi " " v " " kbuild
}

END {
    for (i = count; i > 0; i--) {
        found = found ", " name[i] " " version[i]
        kernel = name[i] ~ /^linux-image-/ ? kernel_of(name[i], version[i]) : ""
        if (kernel != "") {
            print kernel
            exit
        }
    }
    print "The archive does not have image, both headers and source of a kernel " (wanted == "" ? series : wanted) " in one version, " \
        "with a kbuild for these headers; it has " (found == "" ? "none of these packages" : substr(found, 3)) "." >"/dev/stderr"
    exit 1
}
