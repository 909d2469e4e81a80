package io.verbena.tools.fabric;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A change of a fabric at a time: a node or the links between two nodes fail or return, links damage flits or lose credits, a receiver becomes
 * slow.
 *
 * @param afterNs time since the traffic began
 * @param node name of a node, or of the host or enclosure that contains it
 * @param other the node at the other end of a link; empty for the node itself
 * @param value probability that a flit is damaged or its credits are lost, or the number of flit times in which a slow receiver takes a flit
 */
public record Fault(long afterNs, Kind kind, String node, Optional<String> other, double value) {

    /** What happens. */
    public enum Kind {
        DOWN,
        UP,
        ERRORS,
        CREDITS,
        SLOW
    }

    /** The forms of a fault, for help texts. */
    public static final String FORMS = "'20 down spine-1', '20 down leaf-0 to spine-1', '90 up spine-1',"
            + " '0 errors leaf-0 to spine-1 1e-3', '0 credits leaf-0 to spine-1 1e-2', '0 slow h3 50'";

    private static final Pattern STATE =
            Pattern.compile("(\\d{1,9}(?:\\.\\d{1,3})?)\\s+(down|up)\\s+(.+?)(?:\\s+to\\s+(.+))?");
    private static final Pattern ERRORS = Pattern.compile(
            "(\\d{1,9}(?:\\.\\d{1,3})?)\\s+(errors|credits)\\s+(.+?)\\s+to\\s+(.+?)\\s+(\\d[0-9.eE-]*)");
    private static final Pattern SLOW =
            Pattern.compile("(\\d{1,9}(?:\\.\\d{1,3})?)\\s+(slow)\\s+(.+?)()\\s+(\\d{1,6})");
    private static final double NS_PER_MICROSECOND = 1_000;

    /**
     * Reads a fault: the time in microseconds, the event, and the port or node that it affects.
     *
     * @throws IllegalArgumentException if it has none of the {@link #FORMS}
     */
    public static Fault parse(String text) {
        for (Pattern form : new Pattern[] {STATE, ERRORS, SLOW}) {
            Matcher parts = form.matcher(text.strip());
            if (parts.matches()) {
                return fault(parts, parts.groupCount() > 4 ? value(parts.group(5), text) : 0);
            }
        }
        throw new IllegalArgumentException("'" + text + "' is no fault; possible are " + FORMS);
    }

    private static Fault fault(Matcher parts, double value) {
        Kind kind = switch (parts.group(2)) {
            case "down" -> Kind.DOWN;
            case "up" -> Kind.UP;
            case "errors" -> Kind.ERRORS;
            case "credits" -> Kind.CREDITS;
            default -> Kind.SLOW;
        };
        long afterNs = Math.round(Double.parseDouble(parts.group(1)) * NS_PER_MICROSECOND);
        Optional<String> other = Optional.ofNullable(parts.group(4)).filter(name -> !name.isEmpty());
        return new Fault(afterNs, kind, parts.group(3), other, value);
    }

    private static double value(String digits, String text) {
        double value;
        try {
            value = Double.parseDouble(digits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' ends with '" + digits + "', which is no number", e);
        }
        if (!text.contains(" slow ") && value >= 1) {
            throw new IllegalArgumentException("'" + text + "': a probability below 1 is possible, not " + digits);
        }
        return value;
    }
}
