package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.Terminal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;

/** The commands that exist, so that a new one is missing in no table. */
public final class AllCommands {

    private AllCommands() {}

    /** Words of each command that does something and is shown in the help. */
    public static List<String> visible() {
        List<String> found = new ArrayList<>();
        collect("", Verbena.commandLine(Terminal.system(), new StopSignal()), found);
        return found;
    }

    private static void collect(String words, CommandLine command, List<String> found) {
        if (command.getSubcommands().isEmpty()) {
            if (!command.getCommandSpec().usageMessage().hidden()) {
                found.add(words.strip());
            }
            return;
        }
        command.getSubcommands().forEach((word, inner) -> collect(words + ' ' + word, inner, found));
    }

    /**
     * Each command begins a line of a table, or is named as one that is not in it.
     *
     * @param lines commands with their arguments
     * @param without commands that are not in the table for a reason
     */
    public static void assertIn(Collection<String> lines, Set<String> without) {
        Set<String> missing = new TreeSet<>(visible());
        missing.removeIf(command -> lines.stream().anyMatch(line -> (line + ' ').startsWith(command + ' ')));
        assertEquals(new TreeSet<>(without), missing);
    }
}
