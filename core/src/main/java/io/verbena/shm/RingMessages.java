package io.verbena.shm;

import io.verbena.port.ShortMessages;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The short messages of a {@link RingStream}, as its owner uses them: records of one line. A failure of shared memory
 * ends the stream.
 */
final class RingMessages implements ShortMessages {

    private final RingStream stream;
    private final Readiness readiness;
    private @Nullable Taker taker;
    private boolean wanted;

    RingMessages(RingStream stream, Readiness readiness) {
        this.stream = stream;
        this.readiness = readiness;
    }

    private @Nullable Rings usable() {
        return readiness.broken() ? null : stream.rings();
    }

    @Override
    public void begin(Taker newTaker) {
        Rings rings = usable();
        if (rings == null) {
            return;
        }
        try {
            rings.reader.takeMessages();
            rings.words.takeMessages();
            taker = newTaker;
        } catch (InternalError e) {
            readiness.fail(SideWords.failure(e));
        }
    }

    /** Messages may have arrived. Returns how many were taken. */
    int arrived() {
        Taker current = taker;
        return current == null || !hasNext() ? 0 : current.takeMessages();
    }

    @Override
    public boolean hasNext() {
        Rings rings = usable();
        return rings != null && rings.reader.hasMessage();
    }

    @Override
    public boolean wanted() {
        if (!wanted) {
            Rings rings = usable();
            wanted = rings != null && rings.words.takesMessagesThere();
        }
        return wanted;
    }

    @Override
    public boolean write(ByteBuffer message, int bytes) {
        return stream.writeWhole(message, bytes, SharedLayout.MESSAGE);
    }

    @Override
    public int next(ByteBuffer target) {
        Rings rings = usable();
        if (rings == null) {
            return 0;
        }
        try {
            return rings.reader.message(target);
        } catch (IOException | InternalError e) {
            readiness.fail(SideWords.failure(e));
            return 0;
        }
    }

    @Override
    public void taken() {
        Rings rings = usable();
        if (rings != null) {
            rings.reader.messageTaken();
        }
    }

    @Override
    public void endRun() {
        Rings rings = usable();
        if (rings == null) {
            return;
        }
        try {
            rings.endRun();
        } catch (InternalError e) {
            readiness.fail(SideWords.failure(e));
        }
    }
}
