package io.verbena.fabric.topology;

import java.util.Optional;

/** The speed of one physical lane. Speeds from FDR on are in PortInfo's extended fields. */
public enum LinkSpeed {
    SDR(1, false, 2_000),
    DDR(2, false, 4_000),
    QDR(4, false, 8_000),
    /** An extension of Mellanox; PortInfo shows it as QDR. 10.3125 Gbit/s with the 64b/66b code. */
    FDR10(4, false, 10_000),
    FDR(1, true, 13_636),
    EDR(2, true, 25_000),
    HDR(4, true, 50_000),
    NDR(8, true, 100_000),
    /** Its bit follows the five of LinkSpeedExt: it is in LinkSpeedExtActive2 and its relatives. */
    XDR(32, true, 200_000);

    private final int code;
    private final boolean extended;
    private final int megabitsPerSecond;

    LinkSpeed(int code, boolean extended, int megabitsPerSecond) {
        this.code = code;
        this.extended = extended;
        this.megabitsPerSecond = megabitsPerSecond;
    }

    /** The bit of PortInfo's LinkSpeed, or of LinkSpeedExt if {@link #extended}; from 32 on that of LinkSpeedExt2. */
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

    /** The speed of this name, in any case of letters; empty if there is none. */
    static Optional<LinkSpeed> parse(String text) {
        for (LinkSpeed speed : values()) {
            if (speed.name().equalsIgnoreCase(text)) {
                return Optional.of(speed);
            }
        }
        return Optional.empty();
    }
}
