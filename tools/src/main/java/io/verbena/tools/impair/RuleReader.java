package io.verbena.tools.impair;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads rules and the events of a script, one per line.
 *
 * <pre>
 *   loss 1% delay 100us jitter 20us
 *   at 2s: path sport%8==3 loss 100%
 *   at 5s: clear sport%8==3
 * </pre>
 */
final class RuleReader {

    private static final Pattern AT = Pattern.compile("at\\s+(\\S+?)\\s*:\\s*(.*)");
    private static final String CLEAR = "clear";

    /** What comes before conditions in a sentence; it has no other meaning. */
    private static final List<String> FILLERS = List.of("path", "packets");

    private RuleReader() {}

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    static ScriptEvent parse(String line) {
        String text = line.strip();
        Matcher at = AT.matcher(text);
        if (!at.matches()) {
            if (text.startsWith("at ")) {
                throw new IllegalArgumentException(
                        "'" + text + "' has no colon after its time: write for example 'at 2s: loss 100%'");
            }
            return new ScriptEvent(0, change(text));
        }
        return new ScriptEvent(EffectReader.spanNs(at.group(1), "at"), change(at.group(2)));
    }

    /**
     * Reads a script; lines that are empty or begin with # are comments.
     *
     * @throws IllegalArgumentException with a sentence that names the line
     */
    static List<ScriptEvent> script(List<String> lines) {
        List<ScriptEvent> events = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                try {
                    events.add(parse(line));
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException("line " + (i + 1) + ": " + e.getMessage(), e);
                }
            }
        }
        return events;
    }

    private static ScriptEvent.Change change(String text) {
        List<String> words =
                new ArrayList<>(Arrays.asList(text.toLowerCase(Locale.ROOT).split("\\s+")));
        words.removeIf(String::isEmpty);
        boolean clear = !words.isEmpty() && words.getFirst().equals(CLEAR);
        if (clear) {
            words.removeFirst();
        }
        if (!words.isEmpty() && FILLERS.contains(words.getFirst())) {
            words.removeFirst();
        }
        List<Condition> conditions = new ArrayList<>();
        List<String> names = new ArrayList<>();
        while (!words.isEmpty() && Condition.looksLike(words.getFirst())) {
            names.add(words.getFirst());
            conditions.add(Condition.parse(words.removeFirst()));
        }
        String where = names.isEmpty() ? Rule.EVERYWHERE : String.join(" ", names);
        if (!clear) {
            return new ScriptEvent.Put(Rule.of(where, conditions, settings(words, text)));
        }
        if (!words.isEmpty()) {
            throw new IllegalArgumentException("'" + text
                    + "' must end after the conditions of the rule that it removes, before '" + words.getFirst() + "'");
        }
        return names.isEmpty() ? new ScriptEvent.ClearAll() : new ScriptEvent.Clear(where);
    }

    private static Map<String, String> settings(List<String> words, String text) {
        if (words.isEmpty()) {
            throw new IllegalArgumentException("'" + text + "' does nothing: add for example 'loss 1%' or 'delay 1ms'");
        }
        Map<String, String> settings = new LinkedHashMap<>();
        Iterator<String> rest = words.iterator();
        while (rest.hasNext()) {
            String name = rest.next();
            if (Condition.looksLike(name)) {
                throw new IllegalArgumentException(
                        "'" + text + "' has the condition '" + name + "' after an effect: conditions come first");
            }
            if (!rest.hasNext()) {
                throw new IllegalArgumentException("'" + text + "' has no value after '" + name + "'");
            }
            if (settings.put(name, rest.next()) != null) {
                throw new IllegalArgumentException("'" + text + "' has the effect '" + name + "' twice");
            }
        }
        return settings;
    }
}
