package io.verbena.fabric.topology;

/** The speed of one physical lane. Speeds from FDR on are in PortInfo's extended fields. */
public enum LinkSpeed {
    SDR(1, false, 2_000),
    DDR(2, false, 4_000),
    QDR(4, false, 8_000),
    FDR(1, true, 13_636),
    EDR(2, true, 25_000),
    HDR(4, true, 50_000),
    NDR(8, true, 100_000);

    private final int code;
    private final boolean extended;
    private final int megabitsPerSecond;

    LinkSpeed(int code, boolean extended, int megabitsPerSecond) {
        this.code = code;
        this.extended = extended;
        this.megabitsPerSecond = megabitsPerSecond;
    }

    /** The bit of PortInfo's LinkSpeed, or of LinkSpeedExt if {@link #extended}. */
    public int code() {
        return code;
    }

    /** Whether PortInfo states this speed in its extended fields. */
    public boolean extended() {
        return extended;
    }

    /** Data rate of one lane, after the line code. */
    public int megabitsPerSecond() {
        return megabitsPerSecond;
    }
}
