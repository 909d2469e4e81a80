#!/bin/bash
# Dissects the iWARP connections of a capture with tshark and checks that they are well formed.
#
#   check-capture.sh [options] FILE PORT        the connections whose server has this TCP port
#
# Prints a digest: connections, what MPA agreed on, and the FPDUs each way by opcode. Two captures of the same
# connections have the same digest. Every problem is a line on standard error, and then the exit status is 1:
#   - a frame that tshark calls malformed,
#   - an FPDU whose CRC is wrong,
#   - bytes of a TCP stream that are neither an MPA start frame nor an FPDU,
#   - segments that are missing from the capture,
#   - anything that an option below requires and the capture does not show.
# Options
#   --connections N   number of connections
#   --rounds N        total number of rounds of rping: N Read Requests, N Read Responses, N Writes, 4 N Sends at least
#   --crc yes|no      CRC agreed on by every connection, or by none
#   --p2p yes|no      peer-to-peer mode requested by every connection, or by none
#   --first OPCODE    every initiator's first FPDU is a Write, ReadRequest or Send
#   --rejected        every connection is rejected by the MPA reply
#   --incomplete      connections may be cut off anywhere and need not have been set up
set -euo pipefail
export LC_ALL=C
usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
connections='' rounds='' crc='' p2p='' first='' rejected=0 incomplete=0
while [ $# -gt 0 ]; do
    case $1 in
        --connections) connections=$2; shift 2;;
        --rounds) rounds=$2; shift 2;;
        --crc) crc=$2; shift 2;;
        --p2p) p2p=$2; shift 2;;
        --first) first=$2; shift 2;;
        --rejected) rejected=1; shift;;
        --incomplete) incomplete=1; shift;;
        -*) usage;;
        *) break;;
    esac
done
[ $# = 2 ] || usage
file=$1 port=$2
[ -s "$file" ] || { echo "there is no capture $file" >&2; exit 1; }

work=$(mktemp -d "${TMPDIR:-/tmp}/check-capture.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/config"

# Ignores the user's preferences. A payload of iWARP is arbitrary: tshark's guesses at upper
# layers (RPC, SMB, NVMe) would find faults in it that are none.
dissect() {
    WIRESHARK_CONFIG_DIR=$work/config XDG_CONFIG_HOME=$work/config tshark -n -r "$file" \
        -o tcp.try_heuristic_first:TRUE -o tcp.reassemble_out_of_order:TRUE \
        --disable-protocol nvme-tcp --disable-protocol rpcordma --disable-protocol smb_direct "$@"
}

fields=(frame.number tcp.stream tcp.srcport tcp.dstport tcp.seq tcp.len tcp.flags.syn
    iwarp_mpa.key.req iwarp_mpa.key.rep iwarp_mpa.crc_flag iwarp_mpa.rej_flag iwarp_mpa.rev iwarp_mpa.pdlength iwarp_mpa.privatedata
    iwarp_mpa.ulpdulength iwarp_rdma.opcode iwarp_ddp.last_flag iwarp_mpa.crc_check
    _ws.expert.message tcp.analysis.lost_segment)
args=()
for f in "${fields[@]}"; do args+=(-e "$f"); done
dissect -Y "tcp.port == $port" -T fields "${args[@]}" -E separator='|' >"$work/frames" 2>"$work/err" || {
    echo "tshark cannot read $file: $(grep -v 'could be dangerous' "$work/err" | tail -n 1)" >&2
    exit 1
}
# Whether a CRC is right is only in the text that tshark shows for it.
: >"$work/bad"
if cut -d'|' -f18 "$work/frames" | grep -q .; then
    dissect -Y "tcp.port == $port && iwarp_mpa.crc_check" -O iwarp_mpa -V 2>/dev/null |
        awk '/^Frame [0-9]+/ { sub(/:/, "", $2); frame = $2 }
             /CRC check: .*Good CRC32/ { good++; next }
             /CRC check:/ { print "frame " frame ": " substr($0, index($0, "CRC check")) }' >"$work/bad"
fi

awk -F'|' -v port="$port" -v connections="$connections" -v rounds="$rounds" -v wantcrc="$crc" -v wantp2p="$p2p" \
    -v wantfirst="$first" -v rejected="$rejected" -v incomplete="$incomplete" -v badfile="$work/bad" '
function problem(text) { if (++problems <= 10) print text > "/dev/stderr" }
function hex(s,   i, v) { v = 0; s = tolower(s); for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
function bump(way, name) { count[way, name]++ }
BEGIN {
    split("Write ReadRequest ReadResponse Send SendInvalidate SendSE SendSEInvalidate Terminate ImmediateData ImmediateDataSE AtomicRequest AtomicResponse", names, " ")
    nways = split("server client", ways, " ")
}
{
    s = $2; way = ($4 == port) ? "server" : "client"; k = s SUBSEP way
    if (!(s in seen)) { seen[s] = 1; streams++ }
    if ($7 == "1" || $7 == "True") syn[k] = 1
    if ($6 > 0 && $5 + $6 - 1 > length_[k]) length_[k] = $5 + $6 - 1
    if ($20 != "") lost[s] = $1
    if ($19 ~ /Malformed|Dissector bug|Reassembly error|Bad length|exception|Unreassembled/) problem("frame " $1 ": " $19)
    if ($8 != "" || $9 != "") {
        kind = ($8 != "") ? "req" : "rep"
        if ((kind == "req") != (way == "server")) problem("frame " $1 ": an MPA start frame from the wrong side")
        if (start[s, kind]++) problem("frame " $1 ": a second MPA start frame")
        split($13, pd, ",")
        dissected[k] += 20 + pd[1]
        if (kind == "req") { requests++; ird = hex(substr($14, 1, 4)); asks = ($12 == 2 && length($14) >= 8 && ird >= 32768) ? 1 : 0; p2pcount += asks }
        else { replies++; crccount += ($10 == "1" || $10 == "True"); rejcount += ($11 == "1" || $11 == "True") }
    }
    if ($15 != "") {
        n = split($15, ulpdu, ","); m = split($16, op, ","); split($17, last, ",")
        if (m != n) problem("frame " $1 ": " n " FPDUs but " m " RDMAP headers")
        for (i = 1; i <= n; i++) {
            pad = (4 - (ulpdu[i] + 2) % 4) % 4
            dissected[k] += 2 + ulpdu[i] + pad + 4
            code = hex(substr(op[i], 3)); name = (code <= 11) ? names[code + 1] : "opcode" code
            if (code > 11) problem("frame " $1 ": an unknown RDMAP opcode " op[i])
            bump(way, "FPDUs"); bump(way, name "Fpdus"); bytes[way] += ulpdu[i]
            if (!(k in firstop)) firstop[k] = name
            if (last[i] == "1" || last[i] == "True") {
                bump(way, name)
                if (name == "Write" && ulpdu[i] == 14) zero++
            }
        }
        crcs += ($18 == "") ? 0 : split($18, x, ",")
    }
}
END {
    while ((getline line < badfile) > 0) problem("wrong CRC, " line)
    if (!streams) problem("there is no connection to port " port " in the capture")
    for (k in length_) {
        split(k, part, SUBSEP)
        if (!(k in syn)) problem("connection " part[1] ": its beginning is missing")
        else if (!incomplete && length_[k] != dissected[k] + 0)
            problem("connection " part[1] ", to the " part[2] ": tshark dissects " dissected[k] + 0 " of " length_[k] " bytes as iWARP")
    }
    for (s in lost) problem("frame " lost[s] ": a segment before it is missing from the capture")
    for (s in seen) if (!incomplete) {
        if (!start[s, "req"]) problem("connection " s ": no MPA request")
        if (!start[s, "rep"]) problem("connection " s ": no MPA reply")
        f = firstop[s, "server"]
        if (wantfirst != "" && f != wantfirst) problem("connection " s ": the initiator begins with " (f == "" ? "nothing" : "a " f) ", not with a " wantfirst)
    }
    fpdus = count["server", "FPDUs"] + count["client", "FPDUs"]
    if (connections != "" && streams + 0 != connections) problem(streams + 0 " connections instead of " connections)
    if (wantcrc == "yes" && (crccount + 0 != streams || crcs + 0 != fpdus)) problem("CRC in " crccount + 0 " of " streams + 0 " replies and " crcs + 0 " of " fpdus + 0 " FPDUs; it should be in all")
    if (wantcrc == "no" && (crccount || crcs)) problem("CRC in " crccount + 0 " replies; it should be in none")
    if (wantp2p == "yes" && p2pcount + 0 != streams) problem("peer-to-peer mode asked for by " p2pcount + 0 " of " streams + 0 " connections; it should be all")
    if (wantp2p == "no" && p2pcount) problem("peer-to-peer mode asked for by " p2pcount " connections; it should be none")
    if (rejected && rejcount + 0 != streams) problem(rejcount + 0 " of " streams + 0 " connections rejected; it should be all")
    if (!rejected && !incomplete && rejcount) problem(rejcount " connections rejected")
    if (rounds != "") {
        if (count["client", "ReadRequest"] < rounds) problem(count["client", "ReadRequest"] + 0 " Read Requests for " rounds " rounds")
        if (count["server", "ReadResponse"] < rounds) problem(count["server", "ReadResponse"] + 0 " Read Responses for " rounds " rounds")
        if (count["client", "Write"] < rounds) problem(count["client", "Write"] + 0 " Writes for " rounds " rounds")
        if (count["server", "Send"] < 2 * rounds || count["client", "Send"] < 2 * rounds)
            problem(count["server", "Send"] + 0 " and " count["client", "Send"] + 0 " Sends for " rounds " rounds")
    }
    printf "%d connections: %d requests (%d peer-to-peer), %d replies (%d with CRC, %d reject)\n", streams, requests, p2pcount, replies, crccount, rejcount
    for (w = 1; w <= nways; w++) {
        way = ways[w]
        printf "to the %s: %d FPDUs, %d bytes", way, count[way, "FPDUs"], bytes[way]
        for (i = 1; i <= 12; i++) if (count[way, names[i] "Fpdus"]) printf ", %s %d in %d", names[i], count[way, names[i]], count[way, names[i] "Fpdus"]
        printf "\n"
    }
    printf "zero-length Writes: %d\n", zero
    if (problems > 10) print "and " problems - 10 " more" > "/dev/stderr"
    exit problems > 0
}' "$work/frames"
