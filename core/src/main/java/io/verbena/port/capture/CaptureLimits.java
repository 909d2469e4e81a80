package io.verbena.port.capture;

import java.util.Map;

/**
 * Limits of a capture.
 *
 * @param fileBytes maximum size of the file: the capture ends before the first packet that does not fit; 0 for no limit
 * @param snapBytes maximum number of captured bytes per packet
 * @param bufferBytes size of the buffer for bytes that are still to be written; bytes that do not fit are omitted and
 *     counted
 */
public record CaptureLimits(long fileBytes, int snapBytes, int bufferBytes) {

    /** The setting of {@code RnicOptions.settings} for {@link #fileBytes}. */
    public static final String FILE_SETTING = "capture-limit";

    /** The setting for {@link #snapBytes}. */
    public static final String SNAP_SETTING = "capture-snap";

    /** The setting for {@link #bufferBytes}. */
    public static final String BUFFER_SETTING = "capture-buffer";

    /** The minimum that contains the headers of an FPDU. */
    public static final int LEAST_SNAP_BYTES = 64;

    /** More than any packet has. */
    public static final int WHOLE_PACKETS = 1 << 16;

    private static final int LEAST_BUFFER_BYTES = 1 << 18;
    private static final int MOST_BUFFER_BYTES = 1 << 30;
    private static final int LEAST_FILE_BYTES = 4096;

    /** A setting has a value that is not possible. */
    public static final class InvalidSetting extends IllegalArgumentException {

        private static final long serialVersionUID = 1L;

        private final String setting;
        private final String complaint;

        InvalidSetting(String setting, String complaint) {
            super("the setting '" + setting + "' " + complaint);
            this.setting = setting;
            this.complaint = complaint;
        }

        /** The name of the setting. */
        public String setting() {
            return setting;
        }

        /** The rest of the sentence that begins with the name: "must be …, not …". */
        public String complaint() {
            return complaint;
        }
    }

    /** Checks the ranges. */
    public CaptureLimits {
        require(
                fileBytes == 0 || fileBytes >= LEAST_FILE_BYTES,
                FILE_SETTING,
                "must be 0 for no limit, or at least " + LEAST_FILE_BYTES + ", not " + fileBytes);
        require(
                snapBytes >= LEAST_SNAP_BYTES && snapBytes <= WHOLE_PACKETS,
                SNAP_SETTING,
                "must be " + LEAST_SNAP_BYTES + " to " + WHOLE_PACKETS + ", not " + snapBytes);
        require(
                bufferBytes >= LEAST_BUFFER_BYTES && bufferBytes <= MOST_BUFFER_BYTES && bufferBytes % Long.BYTES == 0,
                BUFFER_SETTING,
                "must be a multiple of 8, " + LEAST_BUFFER_BYTES + " to " + MOST_BUFFER_BYTES + ", not " + bufferBytes);
    }

    /** Whole packets, a file of at most 1 GiB, a buffer of 32 MiB. */
    public static CaptureLimits defaults() {
        return new CaptureLimits(1L << 30, WHOLE_PACKETS, 1 << 25);
    }

    /**
     * The limits given by the settings of an RNIC.
     *
     * @throws InvalidSetting if a value is not a number or out of range
     */
    public static CaptureLimits of(Map<String, String> settings) {
        CaptureLimits usual = defaults();
        return new CaptureLimits(
                number(settings, FILE_SETTING, usual.fileBytes),
                (int) Math.min(Integer.MAX_VALUE, number(settings, SNAP_SETTING, usual.snapBytes)),
                (int) Math.min(Integer.MAX_VALUE, number(settings, BUFFER_SETTING, usual.bufferBytes)));
    }

    private static long number(Map<String, String> settings, String name, long usual) {
        String wanted = settings.get(name);
        if (wanted == null) {
            return usual;
        }
        try {
            return Long.parseLong(wanted);
        } catch (NumberFormatException _) {
            throw new InvalidSetting(name, "must be a number of bytes, not '" + wanted + "'");
        }
    }

    private static void require(boolean condition, String setting, String complaint) {
        if (!condition) {
            throw new InvalidSetting(setting, complaint);
        }
    }
}
