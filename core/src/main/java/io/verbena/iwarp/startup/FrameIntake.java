package io.verbena.iwarp.startup;

import io.verbena.wire.MpaStartFrame;
import io.verbena.wire.MpaStartFrame.Check;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Optional;

/**
 * Collects one start-up frame from a byte stream that may be split anywhere, and takes no byte after the frame. It holds at most
 * 532 bytes, and its result does not depend on where the stream was split.
 */
final class FrameIntake {
    private final MpaStartFrame.Kind expected;
    private final byte[] bytes = new byte[MpaStartFrame.MAX_LENGTH];
    private final MemorySegment segment = MemorySegment.ofArray(bytes);
    private int filled;
    private int needed = MpaStartFrame.LENGTH;
    private boolean complete;
    private Optional<StartUpFault> fault = Optional.empty();

    FrameIntake(MpaStartFrame.Kind expected) {
        this.expected = expected;
    }

    /** Takes the bytes that belong to the frame and returns their number. */
    int take(MemorySegment from, long offset, int length) {
        int taken = 0;
        while (taken < length && !complete && fault.isEmpty()) {
            int piece = Math.min(needed - filled, length - taken);
            MemorySegment.copy(from, ValueLayout.JAVA_BYTE, offset + taken, bytes, filled, piece);
            filled += piece;
            taken += piece;
            check();
        }
        return taken;
    }

    /** Whether the frame is complete and well formed. */
    boolean complete() {
        return complete;
    }

    /** The fault of the frame, if it has one. */
    Optional<StartUpFault> fault() {
        return fault;
    }

    /** The frame, once {@link #complete}. */
    StartUpFrame frame() {
        assert complete;
        return StartUpFrame.decode(Arrays.copyOf(bytes, filled));
    }

    long digest(long h) {
        return StartUpDigest.mix(StartUpDigest.mix(h, bytes, filled), complete ? 1 : 0);
    }

    private void check() {
        // RFC 5044 section 7.1.1 [2, 4, 10, 12, 15]: key, revision, PD_Length are checked; the reserved bits are not.
        Check check = MpaStartFrame.check(segment, 0, filled, expected);
        if (check == Check.WRONG_KEY) {
            fault = wrongKey();
            return;
        }
        if (filled < MpaStartFrame.LENGTH) {
            return;
        }
        MpaStartFrame head = new MpaStartFrame().wrap(segment, 0);
        if (head.rev() < MpaStartFrame.REV_1 || head.rev() > MpaStartFrame.REV_2) {
            fault = Optional.of(StartUpFault.UNSUPPORTED_REVISION);
            return;
        }
        switch (check) {
            case PRIVATE_DATA_TOO_LONG -> fault = Optional.of(StartUpFault.PRIVATE_DATA_TOO_LONG);
            case ENHANCED_DATA_MISSING -> fault = Optional.of(StartUpFault.ENHANCED_DATA_MISSING);
            case OK -> complete = true;
            case INCOMPLETE, WRONG_KEY -> needed = head.frameLength();
        }
    }

    /** The key of the other role is reported as a different fault, which requires the whole key. */
    private Optional<StartUpFault> wrongKey() {
        boolean reply = expected == MpaStartFrame.Kind.REPLY;
        MpaStartFrame.Kind other = reply ? MpaStartFrame.Kind.REQUEST : MpaStartFrame.Kind.REPLY;
        if (MpaStartFrame.check(segment, 0, filled, other) == Check.WRONG_KEY) {
            return Optional.of(StartUpFault.WRONG_KEY);
        }
        if (filled < MpaStartFrame.KEY_LENGTH) {
            return Optional.empty();
        }
        // RFC 5044 section 7.1.2 [10]: the two keys differ so that two initiators recognize each other.
        return Optional.of(reply ? StartUpFault.TWO_INITIATORS : StartUpFault.REPLY_UNASKED);
    }
}
