package io.verbena.tools.impair;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
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
    private static final Pattern SPAN = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ns|us|µs|ms|s)");
    private static final Pattern CHANCE = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)%");
    private static final Pattern ONE_IN = Pattern.compile("1/(\\d{1,9})");
    private static final String CLEAR = "clear";

    /** What comes before conditions in a sentence; it has no other meaning. */
    private static final List<String> FILLERS = List.of("path", "packets");

    private static final long DEFAULT_REORDER_NS = 1_000_000;
    private static final double MOST_SPAN_NS = 1e15;

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
        return new ScriptEvent(spanNs(at.group(1), "at"), change(at.group(2)));
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
            return new ScriptEvent.Put(new Rule(where, conditions, effects(words, text), String.join(" ", words)));
        }
        if (!words.isEmpty()) {
            throw new IllegalArgumentException(
                    "'" + text + "' must end after the conditions of the rule that it removes, before '"
                            + words.getFirst() + "'");
        }
        return names.isEmpty() ? new ScriptEvent.ClearAll() : new ScriptEvent.Clear(where);
    }

    private static Effects effects(List<String> words, String text) {
        if (words.isEmpty()) {
            throw new IllegalArgumentException("'" + text + "' does nothing: add for example 'loss 1%' or 'delay 1ms'");
        }
        Draft draft = new Draft();
        Iterator<String> rest = words.iterator();
        while (rest.hasNext()) {
            String name = rest.next();
            if (Condition.looksLike(name)) {
                throw new IllegalArgumentException("'" + text + "' has the condition '" + name
                        + "' after an effect: conditions come first");
            }
            if (!rest.hasNext()) {
                throw new IllegalArgumentException("'" + text + "' has no value after '" + name + "'");
            }
            draft.set(name, rest.next());
        }
        return draft.effects(text);
    }

    /** Effects that are being read. */
    private static final class Draft {
        private double loss;
        private double duplicate;
        private double corrupt;
        private double trim;
        private double mark;
        private double reorder;
        private long delayNs;
        private long jitterNs;
        private long reorderNs = DEFAULT_REORDER_NS;
        private boolean by;

        void set(String name, String value) {
            switch (name) {
                case "loss" -> loss = chance(value, name);
                case "duplicate" -> duplicate = chance(value, name);
                case "corrupt" -> corrupt = chance(value, name);
                case "trim" -> trim = chance(value, name);
                case "mark" -> mark = chance(value, name);
                case "reorder" -> reorder = chance(value, name);
                case "delay" -> delayNs = spanNs(value, name);
                case "jitter" -> jitterNs = spanNs(value, name);
                case "by" -> {
                    reorderNs = spanNs(value, name);
                    by = true;
                }
                default ->
                    throw new IllegalArgumentException("'" + name
                            + "' is not an effect: choose loss, delay, jitter, reorder, by, duplicate, corrupt, trim or"
                            + " mark");
            }
        }

        Effects effects(String text) {
            if (by && reorder == 0) {
                throw new IllegalArgumentException("'" + text + "' has 'by' without 'reorder'");
            }
            return new Effects(
                    new Effects.Chances(loss, duplicate, corrupt, trim, mark),
                    new Effects.Delay(delayNs, jitterNs, reorder, reorderNs));
        }
    }

    private static double chance(String value, String name) {
        Matcher percent = CHANCE.matcher(value);
        if (percent.matches() && Double.parseDouble(percent.group(1)) <= 100) {
            return Double.parseDouble(percent.group(1)) / 100;
        }
        Matcher oneIn = ONE_IN.matcher(value);
        if (oneIn.matches() && Long.parseLong(oneIn.group(1)) > 0) {
            return 1.0 / Long.parseLong(oneIn.group(1));
        }
        throw new IllegalArgumentException(name + " must be followed by 0% to 100% or by 1/N, not by '" + value + "'");
    }

    private static long spanNs(String value, String name) {
        Matcher form = SPAN.matcher(value);
        if (form.matches()) {
            double ns = Double.parseDouble(form.group(1)) * unitNs(form.group(2));
            if (ns <= MOST_SPAN_NS) {
                return Math.round(ns);
            }
        }
        throw new IllegalArgumentException(
                name + " must be followed by a time such as 20us, 1.5ms or 2s, not by '" + value + "'");
    }

    private static double unitNs(String unit) {
        return switch (unit) {
            case "ns" -> 1;
            case "ms" -> 1e6;
            case "s" -> 1e9;
            default -> 1e3;
        };
    }
}
