package io.verbena.fabric.topology;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The lines of a text in their order, with the files that an {@code include} line of ibsim names in its place. A byte order mark, which
 * editors of other systems write, is removed.
 */
final class TopologyText {

    private static final int MOST_CHARACTERS = 64 << 20;
    /** As in ibsim. */
    private static final int DEEPEST = 9;

    private static final Pattern INCLUDE = Pattern.compile("include\\s*=?\\s*\"([^\"]*)\".*");

    /** Receives each line. */
    interface Lines {
        void line(String where, String content);
    }

    private final TopologyFiles files;
    private final Lines lines;
    private final Consumer<String> problems;
    private final Deque<String> open = new ArrayDeque<>();
    private long characters;

    TopologyText(TopologyFiles files, Lines lines, Consumer<String> problems) {
        this.files = files;
        this.lines = lines;
        this.problems = problems;
    }

    void read(String text) {
        characters += text.length();
        if (characters > MOST_CHARACTERS) {
            throw new TopologyException(
                    "The text has " + characters + " characters; the maximum is " + MOST_CHARACTERS);
        }
        if (text.indexOf('\0') >= 0) {
            throw new TopologyException("The file is not text; a cache of ibnetdiscover becomes text with"
                    + " 'ibnetdiscover --load-cache FILE'");
        }
        int[] number = {0};
        String in = open.isEmpty() ? "" : " of '" + open.getLast() + "'";
        (text.startsWith("\uFEFF") ? text.substring(1) : text)
                .lines()
                .forEach(line -> line("Line " + ++number[0] + in, line.strip()));
    }

    private void line(String where, String content) {
        Matcher include = INCLUDE.matcher(content);
        if (!include.matches()) {
            lines.line(where, content);
            return;
        }
        String name = include.group(1);
        Optional<String> text = open.size() < DEEPEST && !open.contains(name) ? files.text(name) : Optional.empty();
        if (text.isEmpty()) {
            problems.accept(where + ": the file '" + name + "' cannot be included");
            return;
        }
        open.addLast(name);
        read(text.get());
        open.removeLast();
    }
}
