package io.verbena.messaging.ring;

/** Meaning of immediate data: 4 bits of kind, 12 of virtual channel, 16 of value. The total fits InfiniBand's 32 bits. */
public enum Immediate {
    /** An element was written into the ring of this virtual channel. */
    MESSAGE,
    /** Requests the acknowledgement of this request once more. */
    REPEAT,
    /** The receiver polls: announcements are not needed. */
    QUIET,
    /** The receiver stops polling: the peer must announce from now on and confirm it. */
    ANNOUNCE,
    /** Confirms {@link #ANNOUNCE}: all following elements are announced. */
    ANNOUNCING,
    /** A kind that is not defined. */
    UNKNOWN;

    private static final Immediate[] ALL = values();

    /** Encodes this kind. */
    public long with(int virtualChannel, int value) {
        return (long) ordinal() << 28 | (long) (virtualChannel & 0xfff) << 16 | value & 0xffff;
    }

    /** The kind of received immediate data. */
    public static Immediate of(long data) {
        int kind = (int) (data >>> 28 & 0xf);
        return kind < ALL.length ? ALL[kind] : UNKNOWN;
    }

    public static int virtualChannel(long data) {
        return (int) (data >>> 16 & 0xfff);
    }

    public static int value(long data) {
        return (int) (data & 0xffff);
    }
}
