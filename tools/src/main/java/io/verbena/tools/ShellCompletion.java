package io.verbena.tools;

import io.verbena.verbs.RnicProvider;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The completion for bash and zsh. That of picocli offers files only where the type of an option is Path, and to no parameter; here, what an
 * argument is called decides, because many are a file or something else, such as {@code NAME=FILE} or a topology.
 */
final class ShellCompletion {

    private static final Pattern FILE =
            Pattern.compile("FILE|FOLDER|DIR|PATH|TOPOLOGY|PROGRAM|COMMAND|CLASS|SOURCE|TARGET");

    private static final String NEXT = "\nfunction ";
    private static final String POSITIONALS = "    local positionals=\"\"\n";
    private static final String FILES = "type compopt &>/dev/null && compopt -o default\n";

    private ShellCompletion() {}

    /** The text of the script. */
    static String of(CommandLine root) {
        List<CommandSpec> commands = all(root).toList();
        return Stream.of(AutoComplete.bash("verbena", root).split(NEXT))
                .map(function -> commands.stream()
                        .filter(each -> function.startsWith(function(each) + "()"))
                        .findFirst()
                        .map(each -> completed(each, function))
                        .orElse(function))
                .collect(Collectors.joining(NEXT));
    }

    private static Stream<CommandSpec> all(CommandLine command) {
        return Stream.concat(
                Stream.of(command.getCommandSpec()),
                command.getSubcommands().values().stream().distinct().flatMap(ShellCompletion::all));
    }

    /** The function of a command in the script. */
    static String function(CommandSpec command) {
        return "_picocli_" + command.qualifiedName("_").replaceAll("\\W", "");
    }

    /** Whether the argument is or contains the name of a file. */
    static boolean file(ArgSpec argument) {
        return FILE.matcher(argument.paramLabel()).find();
    }

    private static String completed(CommandSpec command, String function) {
        String text = function;
        for (OptionSpec option : command.options()) {
            String head = Stream.of(option.names())
                    .map(name -> "'" + name + "'")
                    .collect(Collectors.joining("|", "    ", ")\n"));
            if (option.longestName().equals("--provider")) {
                text = text.replace(head + "      return\n", head + words(providers()));
            } else if (file(option)) {
                text = text.replace(head + "      return\n", head + "      " + FILES + "      return\n");
            }
        }
        return command.positionalParameters().stream().anyMatch(ShellCompletion::file)
                ? text.replace(POSITIONALS, POSITIONALS + "    " + FILES)
                : text;
    }

    private static String words(String words) {
        return "      local IFS=$' \\n'\n      COMPREPLY=( $( compgen -W \"" + words
                + "\" -- \"${curr_word}\" ) )\n      return $?\n";
    }

    private static String providers() {
        return RnicProvider.all().stream().map(RnicProvider::name).collect(Collectors.joining(" "));
    }
}
