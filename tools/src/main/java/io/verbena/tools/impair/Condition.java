package io.verbena.tools.impair;

import io.verbena.wire.ib.IbOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One condition of a rule, such as {@code sport%8==3}, {@code qp==0x11-0x14}, {@code opcode==RC_WRITE*}, {@code from==a}.
 *
 * @param field what is compared
 * @param modulus the remainder of the division by it is compared; 0 for the value itself
 * @param equal whether one of the values must be equal, or none
 * @param values of which each is a range
 */
record Condition(Field field, long modulus, boolean equal, List<Range> values) {

    private static final Pattern FORM = Pattern.compile("([a-z]+)(?:%(\\d{1,9}))?(==|=|!=)(.+)");

    /** What a condition compares. */
    enum Field {
        FROM("a or b"),
        PROTO("roce, tcp, udp, other or any"),
        SPORT("a UDP or TCP port"),
        DPORT("a UDP or TCP port"),
        QP("the number of a destination queue pair"),
        OPCODE("an opcode of InfiniBand such as RC_WRITE_ONLY, RC_WRITE* or 0x0a"),
        SIZE("a number of bytes, as after the UDP or TCP header");

        private final String form;

        Field(String form) {
            this.form = form;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Values from {@code least} to {@code most}. */
    record Range(long least, long most) {
        boolean has(long value) {
            return value >= least && value <= most;
        }
    }

    /** Whether a word of a rule is a condition, with or without faults. */
    static boolean looksLike(String word) {
        return word.indexOf('=') > 0;
    }

    /**
     * Reads a condition.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    static Condition parse(String word) {
        Matcher form = FORM.matcher(word);
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + word + "' is not a condition such as sport%8==3 or qp==0x11");
        }
        Field field = field(form.group(1), word);
        long modulus = form.group(2) == null ? 0 : Long.parseLong(form.group(2));
        boolean number = field != Field.FROM && field != Field.PROTO && field != Field.OPCODE;
        if (form.group(2) != null && (modulus == 0 || !number)) {
            throw new IllegalArgumentException(
                    "'" + word + "' has no remainder: % needs a number of 1 or more and one of"
                            + " sport, dport, qp and size before it");
        }
        List<Range> values = new ArrayList<>();
        for (String each : form.group(4).split(",", -1)) {
            values.addAll(ranges(field, each, word));
        }
        return new Condition(field, modulus, !form.group(3).equals("!="), List.copyOf(values));
    }

    private static Field field(String name, String word) {
        for (Field each : Field.values()) {
            if (each.word().equals(name)) {
                return each;
            }
        }
        throw new IllegalArgumentException("'" + word + "' compares '" + name
                + "', which packets do not have: choose from, proto, sport, dport, qp, opcode or size");
    }

    private static List<Range> ranges(Field field, String value, String word) {
        List<Range> found = switch (field) {
            case FROM -> named(value, Side.values());
            case PROTO ->
                value.equals("any") ? List.of(new Range(0, Long.MAX_VALUE)) : named(value, PacketShape.Kind.values());
            case OPCODE -> opcodes(value);
            case SPORT, DPORT, QP, SIZE -> numbers(value);
        };
        if (found.isEmpty()) {
            throw new IllegalArgumentException(
                    "'" + word + "' has the value '" + value + "': " + field.word() + " must be " + field.form);
        }
        return found;
    }

    private static List<Range> named(String value, Enum<?>[] all) {
        for (Enum<?> each : all) {
            if (each.name().equalsIgnoreCase(value)) {
                return List.of(new Range(each.ordinal(), each.ordinal()));
            }
        }
        return List.of();
    }

    private static List<Range> opcodes(String value) {
        if (!value.isEmpty() && Character.isDigit(value.charAt(0))) {
            return numbers(value);
        }
        boolean prefix = value.endsWith("*");
        String name = (prefix ? value.substring(0, value.length() - 1) : value).toUpperCase(Locale.ROOT);
        List<Range> found = new ArrayList<>();
        for (IbOpcode each : IbOpcode.values()) {
            boolean named = prefix ? each.name().startsWith(name) : each.name().equals(name);
            if (named && each != IbOpcode.RESERVED) {
                found.add(new Range(each.value(), each.value()));
            }
        }
        return found;
    }

    private static List<Range> numbers(String value) {
        int dash = value.indexOf('-');
        try {
            long least = Long.decode(dash < 0 ? value : value.substring(0, dash));
            long most = dash < 0 ? least : Long.decode(value.substring(dash + 1));
            return least < 0 || least > most ? List.of() : List.of(new Range(least, most));
        } catch (NumberFormatException e) {
            return List.of();
        }
    }

    /** Whether it selects packets by what they carry. */
    boolean namesProtocol() {
        return field == Field.PROTO;
    }

    boolean matches(Packet packet, Side from) {
        long value = switch (field) {
            case FROM -> from.ordinal();
            case PROTO -> packet.kind().ordinal();
            case SPORT -> packet.sourcePort();
            case DPORT -> packet.destinationPort();
            case QP -> packet.destQp();
            case OPCODE -> packet.opcodeValue();
            case SIZE -> packet.shape().contentBytes();
        };
        if (value < 0) {
            return false; // a packet without a queue pair has none that differs, either
        }
        long compared = modulus == 0 ? value : value % modulus;
        for (Range each : values) {
            if (each.has(compared)) {
                return equal;
            }
        }
        return !equal;
    }
}
