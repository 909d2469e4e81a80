package io.verbena.tools.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.sockets.nio.SocketsOption;
import io.verbena.tools.CliRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** One table of options: {@link SocketsOption}. The agent reads them from it; commands and documents are compared with it. */
class SocketsOptionsTest {

    private static SortedSet<String> table(Predicate<SocketsOption> filter) {
        return Arrays.stream(SocketsOption.values())
                .filter(filter)
                .map(SocketsOption::text)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static SortedSet<String> annotated(Class<?> of) {
        return Arrays.stream(of.getDeclaredFields())
                .map(field -> field.getAnnotation(picocli.CommandLine.Option.class))
                .filter(option -> option != null)
                .map(option -> option.names()[0].substring(2))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static SortedSet<String> matches(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern, Pattern.MULTILINE).matcher(text);
        SortedSet<String> found = new TreeSet<>();
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    @Test
    void commands_haveTheOptionsOfTheTable() {
        assertEquals(
                table(option -> option.scope() == SocketsOption.Scope.ALL),
                annotated(SocketsArguments.class),
                "of both");
        assertEquals(
                table(option -> option.scope() == SocketsOption.Scope.PROGRAM),
                annotated(ProgramArguments.class),
                "of sockets run only");
    }

    @Test
    void helpOfRunAndProxy_showsThem() {
        SortedSet<String> run =
                matches("--([a-z-]+)", CliRun.of("sockets", "run", "--help").out());
        SortedSet<String> proxy =
                matches("--([a-z-]+)", CliRun.of("sockets", "proxy", "--help").out());
        assertEquals(table(option -> !run.contains(option.text())), new TreeSet<>(), "missing in sockets run");
        assertEquals(
                table(option -> option.scope() == SocketsOption.Scope.ALL && !proxy.contains(option.text())),
                new TreeSet<>(),
                "missing in sockets proxy");
    }

    @Test
    void documentation_hasARowForEach() throws Exception {
        String text = Files.readString(Path.of("..", "docs", "sockets.md"));
        String options = text.substring(text.indexOf("| option | meaning |"));
        assertEquals(table(_ -> true), matches("^\\| `([a-z]+)` \\|", options.substring(0, options.indexOf("\n\n"))));
    }

    @Test
    void flagIsWrong_isAUsageProblem() {
        CliRun run = CliRun.of("sockets", "run", "--sockets", "maybe", "--", "java");
        assertEquals(2, run.code());
    }
}
