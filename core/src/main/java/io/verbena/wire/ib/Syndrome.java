package io.verbena.wire.ib;

/**
 * The syndrome byte of an {@link Aeth}: an acknowledgement with credits, "receiver not ready" with a timer code, or a
 * NAK with its reason.
 *
 * <pre>
 *   0 0 0 c c c c c   ACK, credit code
 *   0 0 1 t t t t t   RNR NAK, timer code
 *   0 1 1 n n n n n   NAK, reason
 *   all others        reserved: ignored
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.7.5.1 (tables of syndromes, credits and RNR
 * timers).
 */
public final class Syndrome {

    /** The class of a syndrome. */
    public enum Kind {
        ACK,
        RNR_NAK,
        NAK,
        RESERVED
    }

    /** An acknowledgement without credits. */
    public static final int ACK_WITHOUT_CREDITS = 31;

    public static final int NAK_PSN_SEQUENCE = 0x60;
    public static final int NAK_INVALID_REQUEST = 0x61;
    public static final int NAK_REMOTE_ACCESS = 0x62;
    public static final int NAK_REMOTE_OPERATION = 0x63;
    public static final int NAK_INVALID_RD_REQUEST = 0x64;

    private static final int CODE = 0x1f;
    private static final int RNR = 0x20;
    private static final int REASONS = 5;

    private static final int[] CREDITS = {
        0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
        6144, 8192, 12288, 16384, 24576, 32768
    };

    /** Indexed by timer code, in units of 10 µs; code 0 is the longest. */
    private static final int[] RNR_10_MICROSECONDS = {
        65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
        6144, 8192, 12288, 16384, 24576, 32768, 49152
    };

    private Syndrome() {}

    public static Kind kind(int syndrome) {
        return switch (syndrome & 0xe0) {
            case 0x00 -> Kind.ACK;
            case RNR -> Kind.RNR_NAK;
            case 0x60 -> (syndrome & CODE) < REASONS ? Kind.NAK : Kind.RESERVED;
            default -> Kind.RESERVED;
        };
    }

    /** Whether an acknowledgement contains credits. */
    public static boolean hasCredits(int syndrome) {
        return (syndrome & CODE) != ACK_WITHOUT_CREDITS;
    }

    /** Number of posted receives that an acknowledgement reports; see {@link #hasCredits}. */
    public static int credits(int syndrome) {
        return CREDITS[syndrome & CODE];
    }

    /** An acknowledgement with the largest credit code that does not exceed {@code receives}. */
    public static int ackWithCredits(int receives) {
        int code = CREDITS.length - 1;
        while (code > 0 && CREDITS[code] > receives) {
            code--;
        }
        return code;
    }

    /** "Receiver not ready", with a timer code of 0 to 31. */
    public static int rnrNak(int timerCode) {
        return RNR | timerCode & CODE;
    }

    /** Minimum wait of a requester after an RNR NAK, in nanoseconds, for a syndrome or a timer code. */
    public static long rnrNs(int syndrome) {
        return 10_000L * RNR_10_MICROSECONDS[syndrome & CODE];
    }

    /** The timer code with the shortest wait of at least this duration, or 0, the longest, if there is none. */
    public static int rnrTimerCode(long ns) {
        for (int code = 1; code <= CODE; code++) {
            if (rnrNs(code) >= ns) {
                return code;
            }
        }
        return 0;
    }

    /** Appends a syndrome such as {@code ACK credits=4}, {@code RNR NAK 0.64 ms} or {@code NAK remote access}. */
    static StringBuilder describe(StringBuilder out, int syndrome) {
        switch (kind(syndrome)) {
            case ACK -> {
                out.append("ACK");
                if (hasCredits(syndrome)) {
                    out.append(" credits=").append(credits(syndrome));
                }
            }
            case RNR_NAK -> {
                long hundredths = rnrNs(syndrome) / 10_000;
                out.append("RNR NAK ").append(hundredths / 100).append('.');
                out.append((char) ('0' + hundredths / 10 % 10))
                        .append((char) ('0' + hundredths % 10))
                        .append(" ms");
            }
            case NAK -> out.append("NAK ").append(reason(syndrome));
            case RESERVED -> out.append("reserved syndrome ").append(syndrome);
        }
        return out;
    }

    private static String reason(int syndrome) {
        return switch (syndrome) {
            case NAK_PSN_SEQUENCE -> "PSN sequence";
            case NAK_INVALID_REQUEST -> "invalid request";
            case NAK_REMOTE_ACCESS -> "remote access";
            case NAK_REMOTE_OPERATION -> "remote operation";
            default -> "invalid RD request";
        };
    }
}
