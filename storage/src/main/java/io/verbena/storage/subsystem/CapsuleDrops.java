package io.verbena.storage.subsystem;

/**
 * Capsules that got no response, by the reason.
 *
 * @param tooShort shorter than a submission queue entry, so that no response could name the command; the association ends
 * @param closing arrived while the connection was ending
 */
public record CapsuleDrops(long tooShort, long closing) {
    static final CapsuleDrops NONE = new CapsuleDrops(0, 0);

    CapsuleDrops oneTooShort() {
        return new CapsuleDrops(tooShort + 1, closing);
    }

    CapsuleDrops oneClosing() {
        return new CapsuleDrops(tooShort, closing + 1);
    }
}
