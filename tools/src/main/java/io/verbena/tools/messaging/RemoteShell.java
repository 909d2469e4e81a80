package io.verbena.tools.messaging;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Starts a rank on another host. The secret of the job goes through standard input, because others can read command lines; afterwards the
 * end of standard input ends the rank, so that none is left when the connection or its starter is lost.
 */
record RemoteShell(List<String> ssh) {

    /** The command that is run here. The folder, the JDK and the class path are those of this machine. */
    List<String> command(String host, List<String> rank, Map<String, String> environment) {
        StringBuilder script = new StringBuilder();
        script.append("cd ")
                .append(quoted(Path.of("").toAbsolutePath().toString()))
                .append(" || exit 127; ");
        script.append("IFS= read -r VERBENA_SECRET || exit 127; export VERBENA_SECRET");
        environment.forEach(
                (name, value) -> script.append(' ').append(name).append('=').append(quoted(value)));
        script.append("; exec 3<&0; ");
        for (String each : rank) {
            script.append(quoted(each)).append(' ');
        }
        script.append("</dev/null 3<&- & rank=$!; ");
        script.append("{ cat <&3; kill -9 $rank; } >/dev/null 2>&1 & ");
        script.append("wait $rank; code=$?; kill $! 2>/dev/null; exit $code");
        List<String> command = new ArrayList<>(ssh);
        command.addAll(List.of(host, script.toString()));
        return command;
    }

    static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
