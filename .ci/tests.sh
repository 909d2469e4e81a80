# The command ./verbena test. The launcher reads this file, with JAVA_HOME set, in the root of the checkout.

tests_usage() {
    cat <<'END'
./verbena test              all tests, with recorded seeds
./verbena test --checks     the same, the tests that read the sources, and all checks of the compiler and the format: what a change has to pass
./verbena test --fresh [N]  the tests that draw at random, with N seeds each that no run has had before (10)
./verbena test ARGS         ./mvnw verify ARGS: tests and checks one after the other, or a part of them

A test that fails ends nothing else: all modules are tested. The last lines name what failed and count the tests.
Exit code: 0 if all passed, 1 if a test or a check failed, 2 for a wrong option, 130 after Ctrl-C.
END
}

run_tests() {
    case ${1:-} in
    '') test_all ;;
    --checks)
        [ $# = 1 ] || { say "--checks takes no argument; see ./verbena test --help"; exit 2; }
        test_all checked
        ;;
    -h | --help)
        tests_usage
        exit 0
        ;;
    --fresh)
        [ $# -le 2 ] || { say "--fresh takes one number; see ./verbena test --help"; exit 2; }
        case ${2-10} in
        *[!0-9]* | '' | 0*) say "--fresh takes a number of seeds and not '$2'; see ./verbena test --help"; exit 2 ;;
        esac
        test_fresh "${2-10}"
        ;;
    *) exec ./mvnw -B -ntp verify "$@" ;;
    esac
}

# All tests on quickly compiled classes and, if asked for, beside them the build that Error Prone, NullAway and the formatter look at. Both
# run to their end. The checks are as urgent as the tests: if they were the last to end, one core would be idle.
test_all() {
    prepare_tests surefire-reports
    checks=$root/target/checks.log
    if [ -n "${1:-}" ]; then
        # shellcheck disable=SC2086 # the options are words
        ./mvnw -B -ntp $locks --fail-at-end verify -DskipTests >"$checks" 2>&1 </dev/null &
        checking=$!
    fi
    code=0
    if [ -z "$checking" ]; then
        maven_tests verify -Dverbena.excluded=sources || code=1
    else
        maven_tests verify || code=1
        end_checks
    fi
    conclude
}

end_checks() {
    if wait "$checking"; then
        say "the checks of compiler and format passed"
    else
        grep -E '^\[(ERROR|WARNING)\]' "$checks" | sed '/\[Help 1\]/,$d' | tail -n 60 >&2
        say "the checks of compiler and format FAILED; all they said is in $checks"
        code=1 checks_failed=1
    fi
}

# Fresh seeds find faults of the product that were there before, so they decide nothing about the tests above. In core the execution of
# the fuzz tests has a tag of its own.
test_fresh() {
    prepare_tests fresh-reports
    code=0
    maven_tests test "-Dverbena.reports=$reports" -Dgroups=fresh '-Dverbena.fuzz=fresh & jazzer' "-Dverbena.fresh=$1" || code=1
    conclude
}

# Sets reports, the folder of each module that surefire writes to, and removes what earlier runs have left there.
prepare_tests() {
    reports=$1
    began=$(date +%s)
    checking=
    checks_failed=
    testing=
    hung=$root/target/hung
    said=$root/target/$reports.log
    locks="-Daether.syncContext.named.factory=file-lock -Daether.syncContext.named.nameMapper=file-gav"
    mkdir -p "$root/target" && rm -rf "$hung" "$root"/*/target/quick/"$reports" && mkdir "$hung" || die "cannot write in $root/target"
    # The wrapper fetches Maven on its first use; two of them at once would be in each other's way.
    ./mvnw --version >"$said" 2>&1 </dev/null || { cat "$said" >&2; die "cannot start Maven"; }
    watch_tests &
    watching=$!
    # shellcheck disable=SC2086 # each is a number or nothing
    trap 'kill $checking $testing $watching 2>/dev/null; exit 130' INT
    # shellcheck disable=SC2086
    trap 'kill $checking $testing $watching 2>/dev/null; exit 143' TERM HUP
}

# The tests of up to three modules run at a time: the last class of a module, or one that waits, leaves no core idle. For Maven a test that
# fails is no error, so that it builds and tests what depends on the module.
maven_tests() {
    rm -f "$said.pipe"
    mkfifo "$said.pipe" || die "cannot write in $root/target"
    tee "$said" <"$said.pipe" &
    showing=$!
    # shellcheck disable=SC2086
    ./mvnw -B -ntp $locks -T 3 --fail-at-end -Dmaven.test.failure.ignore=true -Pquick "$@" >"$said.pipe" 2>&1 </dev/null &
    testing=$!
    ended=0
    wait "$testing" || ended=$?
    testing=
    wait "$showing"
    rm -f "$said.pipe"
    [ "$ended" = 0 ] || return 1
    # A JVM that dies writes no report: Maven says so.
    ! grep -q '^\[ERROR\]' "$said"
}

# A JVM of the tests ends within some minutes. One that has run for fifteen hangs: a test waits and does not react to the interrupt of
# its time limit, or the JVM does not exit. The stacks of its threads are kept and it is killed, so that only its module fails.
watch_tests() {
    while sleep 30; do
        "$java_home/bin/jcmd" -l 2>/dev/null | grep "^[0-9]* $root/.*/surefire/" | while read -r pid _; do
            seen=$hung/.$pid
            [ -e "$seen" ] || : >"$seen"
            [ -n "$(find "$seen" -mmin +15)" ] || continue
            "$java_home/bin/jstack" -l "$pid" >"$hung/$pid.stacks" 2>&1
            "$java_home/bin/jcmd" "$pid" Thread.dump_to_file "$hung/$pid.threads" >/dev/null 2>&1
            kill -9 "$pid"
        done
    done
}

# The tests that failed, and the first line of what each said, with the command that repeats a seed, and where the JVMs that hung stood.
failed_tests() {
    find "$root"/*/target/quick/"$reports" -name '*.txt' -exec awk '
        /^Tests run:/ { next }
        / <<< (FAILURE|ERROR)!/ { print; why = 1; next }
        why { print "    " substr($0, 1, 300); why = 0 }
        /^ *again: / { print }' {} + 2>/dev/null | awk '!seen[$0]++'
    # Modules that do not compile, and those that need them.
    sed -n 's/^\[INFO\] \(.*[^.]\) \.* \(FAILURE\|SKIPPED\).*/module \1: \2/p' "$said"
    # What else ended with an error is named, whatever it was: a list that is empty beside FAILED says nothing.
    grep '^\[ERROR\]' "$said" | grep -vE '^\[ERROR\] *(-> \[Help|\[Help|To see|Re-run|For more|After correcting|  mvn|Tests run:|Failures:|Errors:|There are test failures|.* <<< |   [A-Z]|$)' | sort -u | cut -c1-300 | head -n 20
    [ -z "$checks_failed" ] || grep -E '^\[(ERROR|WARNING)\].*(java|error:|goal|Failed)' "$checks" | sort -u | cut -c1-300 | head -n 20 | sed 's/^/checks: /'
    for stacks in "$hung"/*.stacks; do
        [ -s "$stacks" ] || continue
        say "a JVM of the tests hung: $stacks" 2>&1
        sed -n '/^"main"/,/^$/p' "$stacks" | grep io.verbena | head -n 12
    done
}

# Prints what failed and the counts of all reports, and ends.
conclude() {
    kill "$watching" 2>/dev/null
    failed_tests >"$root/target/failed-tests"
    [ "$code" = 0 ] || cat "$root/target/failed-tests" >&2
    counts=$(find "$root"/*/target/quick/"$reports" -name 'TEST-*.xml' -exec grep -H '<testsuite ' {} + 2>/dev/null | awk -v root="$root/" '
        function attribute(name) { return match($0, " " name "=\"[0-9]+\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : 0 }
        {
            module = substr($0, length(root) + 1); sub(/\/.*/, "", module)
            modules += !seen[module]++
            tests += attribute("tests"); skipped += attribute("skipped")
            failures += attribute("failures") + attribute("errors")
        }
        END { printf "%d %d %d %d", modules, tests - failures - skipped, failures, skipped }')
    # shellcheck disable=SC2086 # four numbers
    set -- $counts
    [ "$3" = 0 ] || code=1
    [ "$2" != 0 ] || { say "no test ran"; code=1; }
    say "$1 modules in $(($(date +%s) - began)) s; all that Maven said is in $said"
    [ "$4" = 0 ] || say "$4 skipped"
    [ "$code" = 0 ] && say "all passed" || say "FAILED"
    printf '%d passed, %d failed\n' "$2" "$3"
    exit "$code"
}
