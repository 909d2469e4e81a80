package io.verbena.messaging;

/** What immediate data says: 4 bits of kind, 12 of virtual channel, 16 of value. It fits InfiniBand's 32 bits. */
enum Immediate {
    /** A message was written into a ring of this virtual channel. */
    MESSAGE,
    /** Say the acknowledgement of this request once more. */
    REPEAT,
    /** No announcements are needed: we poll. */
    QUIET,
    /** Announce from now on, and confirm it. */
    ANNOUNCE,
    /** Confirmed: all that follows is announced. */
    ANNOUNCING,
    /** Nothing that we know. */
    UNKNOWN;

    private static final Immediate[] ALL = values();

    long with(int virtualChannel, int value) {
        return (long) ordinal() << 28 | (long) (virtualChannel & 0xfff) << 16 | value & 0xffff;
    }

    static Immediate of(long data) {
        int kind = (int) (data >>> 28 & 0xf);
        return kind < ALL.length ? ALL[kind] : UNKNOWN;
    }

    static int virtualChannel(long data) {
        return (int) (data >>> 16 & 0xfff);
    }

    static int value(long data) {
        return (int) (data & 0xffff);
    }
}
